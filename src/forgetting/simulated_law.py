"""A simulated law of forgetting, to learn how often an interval covers what it should.

Trainings move away from the base with learning rate and time; forgetting saturates with the distance moved.
The law is not universal: curves differ by method, by base seed and by both; the checkpoints of a training
are correlated.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from forgetting.fits import Array

METHODS, TRAININGS, CHECKPOINTS = 5, 16, 8
REACH = np.log([9.0, 6.0, 7.0, 1.2, 0.6])[:, None, None]  # log distance at high rates, as in real trainings
CURVE = np.array([0.0, 0.1, -0.25, 0.15, -0.1])[:, None, None]  # log scale of each method's curve
OFFSET = np.array([0.8, -0.7, 1.2, -0.5, 0.7])[:, None, None]  # log distortion of the proxy by method
FARTHEST = 14.0  # about the largest forward KL of such trainings; distances saturate there


@dataclass(frozen=True)
class Law:
    """How much the law varies; the numbers are standard deviations of logs unless said."""

    seed: float  # of a base seed's curve, common to its methods
    seed_method: float  # of a method's curve within a base seed
    runaway: float = 0  # share of base seeds in which one method runs away, as plain GRPO may
    heavy: bool = False  # effects of seeds from Student's t with 3 degrees of freedom, not from the normal


LAWS = {
    "quiet": Law(seed=0.05, seed_method=0.05),
    "calm": Law(seed=0.15, seed_method=0.12),
    "seedy": Law(seed=0.4, seed_method=0.1),
    "runaway": Law(seed=0.15, seed_method=0.12, runaway=0.3),
    "heavy": Law(seed=0.15, seed_method=0.12, heavy=True),
    "unruly": Law(seed=0.3, seed_method=0.25, runaway=0.3, heavy=True),
}


class Simulated(NamedTuple):
    """Points of many base seeds, each (seeds, METHODS, TRAININGS, CHECKPOINTS)."""

    distance: Array  # a good predictor: the distance on which forgetting depends
    proxy: Array  # a poor one: the distance seen through an offset by method and base seed
    forgetting: Array
    parity: Array


def simulate(law: Law, seeds: int, rng: np.random.Generator) -> Simulated:
    """Draw some base seeds, each with its whole grid of trainings."""
    shape = (seeds, METHODS, TRAININGS, CHECKPOINTS)

    def effect(*size: int) -> Array:
        return rng.standard_t(3, size) / np.sqrt(3) if law.heavy else rng.normal(size=size)

    rate = np.linspace(-2.2, 0.3, TRAININGS)[:, None]
    time = 0.7 * np.log(np.arange(1, CHECKPOINTS + 1) / CHECKPOINTS)
    runs_away = (rng.random((seeds, 1, 1, 1)) < law.runaway) * np.eye(METHODS)[2, :, None, None]
    moved = REACH + rate + time + 0.25 * effect(seeds, METHODS, 1, 1) + 0.6 * runs_away
    moved = moved + 0.25 * rng.normal(size=(*shape[:3], 1)) + 0.1 * autoregressive(shape, rng)
    curve = np.log(3) + CURVE + law.seed * effect(seeds, 1, 1, 1) - 0.7 * runs_away
    curve = curve + law.seed_method * effect(seeds, METHODS, 1, 1) + 0.08 * rng.normal(size=(*shape[:3], 1))
    distance, height = saturate(np.exp(moved)), 0.72 + 0.02 * effect(seeds, 1, 1, 1)
    forgetting = height * -np.expm1(-distance / np.exp(curve)) + 0.012 * autoregressive(shape, rng)
    parity = 0.985 - 0.08 * np.exp(-3 * distance / np.exp(REACH)) + 0.003 * effect(seeds, METHODS, 1, 1)
    proxy = saturate(np.exp(0.6 * moved + OFFSET + 0.6 * effect(seeds, METHODS, 1, 1)))
    return Simulated(distance, proxy, forgetting, parity + 0.002 * autoregressive(shape, rng))


def saturate(distance: Array) -> Array:
    """Distances that level off: trained policies do not leave the base without bound."""
    return -FARTHEST * np.expm1(-distance / FARTHEST)


def autoregressive(shape: tuple[int, ...], rng: np.random.Generator, memory: float = 0.7) -> Array:
    """Unit-variance noise that remembers itself along the last axis (checkpoints)."""
    noise = rng.normal(size=shape)
    for c in range(1, shape[-1]):
        noise[..., c] = memory * noise[..., c - 1] + np.sqrt(1 - memory**2) * noise[..., c]
    return noise

"""Replay estimates the forward anchor's gradient from samples: how noisily, and what it gains when the model errs.

All estimators have the expected gradient of KL(new ‖ π) + β KL(ref ‖ π); noise is the trace of the covariance.
"""

from typing import Literal

import numpy as np
from scipy.stats import binom

from forgetting.anchors.optima import forward_optimum, mixture, replay_share
from forgetting.results import Array

Estimator = Literal["replay", "stratified replay", "anchor"]


def _spread(p: Array) -> float:
    """Trace of the covariance of a one-hot draw from p, 1 − Σ p²."""
    return float(1 - p @ p)


def variance(estimator: Estimator, new: Array, ref: Array, weight: float) -> float:
    """Per-sample variance of a gradient estimate; a batch of N has 1/N of it, whatever π is.

    replay draws each example from the mixture, (1+β)²(1 − Σm²); stratified replay fixes the share of old examples,
    (1+β)(1 − Σnew²) + β(1+β)(1 − Σref²); the anchor draws new examples alone and has the rest exactly, 1 − Σnew².
    """
    if estimator == "replay":
        return (1 + weight) ** 2 * _spread(mixture(new, ref, replay_share(weight)))
    if estimator == "anchor":
        return _spread(new)
    return (1 + weight) * _spread(new) + weight * (1 + weight) * _spread(ref)


def estimates(
    estimator: Estimator,
    generator: np.random.Generator,
    pi: Array,
    new: Array,
    ref: Array,
    weight: float,
    batch: int,
    draws: int,
) -> Array:
    """Gradients (draws, answers) of `draws` batches; raises ValueError when the old share is no whole number."""
    old = batch * replay_share(weight)
    if estimator == "replay":
        drawn = generator.multinomial(batch, mixture(new, ref, replay_share(weight)), draws)
        return np.asarray((1 + weight) * (pi - drawn / batch))
    if estimator == "anchor":
        return np.asarray(pi - generator.multinomial(batch, new, draws) / batch + weight * (pi - ref))
    if abs(old - round(old)) > 1e-9:
        raise ValueError(f"A batch of {batch} cannot hold {old:g} old examples: choose another size or weight.")
    drawn = generator.multinomial(batch - round(old), new, draws) + generator.multinomial(round(old), ref, draws)
    return np.asarray((1 + weight) * (pi - drawn / batch))


def distance_from_truth(pi: Array, new: Array, truth: Array, weight: float) -> Array:
    """Total variation (…) between π (…, answers) and the optimum under the true old distribution."""
    return np.asarray(0.5 * np.abs(pi - forward_optimum(new, truth, weight)).sum(-1))


def replayed_optimum(
    generator: np.random.Generator, new: Array, truth: Array, weight: float, examples: int, draws: int
) -> Array:
    """Where replay of `examples` true old examples ends, (draws, answers)."""
    old = generator.multinomial(examples, truth, draws) / examples
    return np.asarray((new + weight * old) / (1 + weight))


def expected_distance(truth: Array, weight: float, examples: int) -> float:
    """Expected `distance_from_truth` of replay: β/(1+β) ½ Σ E|p̂ − p|.

    The mean absolute deviation of a binomial count is 2ν(1 − p) P(ν), ν = ⌊Np⌋ + 1 (de Moivre).
    """
    above = np.floor(examples * truth) + 1
    deviation = 2 * above * (1 - truth) * binom.pmf(above, examples, truth) / examples
    return float(replay_share(weight) * 0.5 * deviation.sum())

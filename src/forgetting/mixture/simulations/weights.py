"""Estimators of the old weight's gradient, both components right and fixed. φ has shape (cases, seeds)."""

from collections.abc import Callable

import numpy as np

from forgetting.mixture.densities import Array, expit, logit
from forgetting.mixture.simulations.descent import Estimator


def _sigmoid(v: Array) -> Array:
    with np.errstate(over="ignore"):  # exp(∞) is the right answer here; much faster than expit in float32
        return np.asarray(1 / (1 + np.exp(-v)))


def _column(value: Array | float, like: Array) -> Array:
    """Per-case values as (cases, 1, 1) in φ's own precision."""
    return np.asarray(value, dtype=like.dtype).reshape(-1, 1, 1)


def data(rng: np.random.Generator, n: int, delta: Array | float, share: Array | float = 0.0) -> Estimator:
    """Forward KL on n samples of (1−λ)p_n + λp_o (`share` = λ): β minus the batch's mean responsibility.

    All cases see the same noise, which costs nothing and leaves each case's law as it is.
    """

    def estimate(phi: Array) -> Array:
        d, replay = _column(delta, phi), _column(share, phi)
        x = d + rng.standard_normal((phi.shape[-1], n), dtype=phi.dtype)
        if replay.any():
            x = x - d * (rng.random((phi.shape[-1], n), dtype=phi.dtype) < replay)
        return np.asarray(_sigmoid(phi) - _sigmoid(phi[..., None] + d * (d / 2 - x)).mean(-1))

    return estimate


def model(rng: np.random.Generator, n: int, delta: Array | float, share: Array | float) -> Estimator:
    """Forward KL of (1−λ)q + λp_o on n new samples: the derivative of each sample's own log density."""

    def estimate(phi: Array) -> Array:
        d, replay = _column(delta, phi), _column(share, phi)
        x = d + rng.standard_normal((phi.shape[-1], n), dtype=phi.dtype)
        beta = _sigmoid(phi)[..., None]
        effective = replay + (1 - replay) * beta
        density_ratio = np.exp(d * (d / 2 - x))  # p_o / p_n
        mixed = effective * density_ratio + (1 - effective)
        return np.asarray(((1 - replay) * beta * (1 - beta) * (1 - density_ratio) / mixed).mean(-1))

    return estimate


def own(
    rng: np.random.Generator,
    n: int,
    delta: Array | float,
    goal: Array,
    share: Array | float = 0.0,
    slope: Callable[[Array], Array] = np.asarray,
    leave_one_out: bool = True,
) -> Estimator:
    """Score-function gradient of a divergence to weight `goal` from n of the learner's own samples.

    The reward is minus `slope`(log q/p), by default the dense log ratio of reverse KL, less a baseline: the
    mean of the others' weighted rewards, which keeps the estimate unbiased, or the whole batch's mean, which
    shrinks it by 1 − 1/n. With replay a share λ comes from p_o and every sample carries w = q/((1−λ)q +
    λp_o). `goal` has shape (cases,) or φ's.
    """

    def estimate(phi: Array) -> Array:
        d, replay, beta = _column(delta, phi), _column(share, phi), expit(phi)[..., None]
        alpha = goal[..., None] if goal.ndim > 1 else _column(goal, phi)
        old = rng.random((*phi.shape, n)) < replay + (1 - replay) * beta
        x = rng.standard_normal(old.shape) + np.where(old, 0.0, d)
        s_o = _sigmoid(logit(alpha) + d * (d / 2 - x))
        ratio = beta / alpha * s_o + (1 - beta) / (1 - alpha) * (1 - s_o)  # q/p
        r_o = beta / alpha * s_o / ratio
        weight = 1 / ((1 - replay) + replay * r_o / beta)
        reward = slope(np.log(ratio))
        baseline = (weight * reward).mean(-1, keepdims=True)
        if leave_one_out:
            baseline = (n * baseline - weight * reward) / (n - 1)
        return np.asarray((weight * (reward - baseline) * (r_o - beta)).mean(-1))

    return estimate


def away(rng: np.random.Generator, n: int, delta: Array | float, slope: Callable[[Array], Array]) -> Estimator:
    """Gradient of the f-divergence to p_n alone from n own samples: f'(u)(r_o − β), centred, u = q/p_n."""

    def estimate(phi: Array) -> Array:
        d, beta = _column(delta, phi), expit(phi)[..., None]
        old = rng.random((*phi.shape, n)) < beta
        x = rng.standard_normal(old.shape) + np.where(old, 0.0, d)
        ratio = beta * np.exp(d * (d / 2 - x)) + (1 - beta)
        reward = slope(np.log(ratio))
        centred = reward - reward.mean(-1, keepdims=True)
        return np.asarray((centred * (1 - (1 - beta) / ratio - beta)).sum(-1) / (n - 1))

    return estimate

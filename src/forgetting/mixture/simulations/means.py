"""Estimators of the gradient in (φ, m_o, m_n) together. θ has shape (3, cases, seeds)."""

import numpy as np

from forgetting.mixture.densities import Array, expit, log_mixture, log_normal, responsibility, sample, score
from forgetting.mixture.simulations.descent import Estimator


def _open(theta: Array) -> tuple[Array, Array, Array]:
    """(φ, m_o, m_n) with a last axis for samples."""
    return theta[0][..., None], theta[1][..., None], theta[2][..., None]


def data(rng: np.random.Generator, n: int, delta: Array) -> Estimator:
    """Forward KL on n new samples, every parameter trained; `delta` has shape (cases,)."""

    def estimate(theta: Array) -> Array:
        phi, m_o, m_n = _open(theta)
        noise = rng.standard_normal((theta.shape[-1], n), dtype=theta.dtype)
        x = np.asarray(delta, theta.dtype)[:, None, None] + noise
        with np.errstate(over="ignore"):
            r_o = 1 / (1 + np.exp((m_n - m_o) * (x - (m_o + m_n) / 2) - phi))
            beta = 1 / (1 + np.exp(-theta[0]))
        mean_r, mean_rx = r_o.mean(-1), (r_o * x).mean(-1)
        new = (1 - mean_r) * theta[2] - (x.mean(-1) - mean_rx)
        return np.stack([beta - mean_r, mean_r * theta[1] - mean_rx, new])

    return estimate


def own(rng: np.random.Generator, n: int, goal: Array, middle: float = 0.0) -> Estimator:
    """Reverse KL to the mixture `goal` (3, cases, seeds or 1) from n samples; φ by score, means by push.

    A share `middle` of the samples is drawn halfway between the learner's means and weighted back, so that
    the rare region in which the modes overlap is seen in every batch; the estimate stays unbiased.
    """
    target = _open(goal)

    def component(theta: Array, x: Array, weight: Array) -> tuple[Array, Array]:
        """Weighted means of ℓ and of ∂ℓ/∂x over samples x of one component."""
        opened = _open(theta)
        ratio = log_mixture(x, *opened) - log_mixture(x, *target)
        push = score(x, *opened) - score(x, *target)
        return (weight * ratio).mean(-1), (weight * push).mean(-1)

    def draw(mean: Array, centre: Array) -> tuple[Array, Array]:
        noise = rng.standard_normal((*mean.shape, n))
        if middle == 0.0:
            return mean[..., None] + noise, np.ones_like(noise)
        at_centre = rng.random(noise.shape) < middle
        x = noise + np.where(at_centre, centre[..., None], mean[..., None])
        gap = log_normal(x, centre[..., None]) - log_normal(x, mean[..., None])
        return x, 1 / (1 - middle + middle * np.exp(gap))

    def estimate(theta: Array) -> Array:
        beta, centre = expit(theta[0]), (theta[1] + theta[2]) / 2
        l_o, g_o = component(theta, *draw(theta[1], centre))
        l_n, g_n = component(theta, *draw(theta[2], centre))
        return np.stack([beta * (1 - beta) * (l_o - l_n), beta * g_o, (1 - beta) * g_n])

    return estimate


def single_sample_gradients(
    rng: np.random.Generator, n: int, theta: Array, goal: Array, share: float
) -> tuple[Array, Array]:
    """n one-sample score gradients of (φ, m_o) under reverse KL, shape (2, n), and their weights (n,).

    A share λ of the samples is replayed from p_o; θ and `goal` have shape (3,).
    """
    beta = expit(theta[0])
    effective = np.log((share + (1 - share) * beta) / ((1 - share) * (1 - beta)))
    x, _ = sample(rng, n, effective, theta[1], theta[2])
    log_q, r_o = log_mixture(x, *theta), responsibility(x, *theta)
    weight = np.exp(log_q - log_mixture(x, effective, theta[1], theta[2]))
    reward = weight * (log_q - log_mixture(x, *goal))
    return reward * np.stack([r_o - beta, r_o * (x - theta[1])]), weight

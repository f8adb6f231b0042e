"""K components trained on own samples, and overlaps of components that are not Gaussian, from samples."""

import numpy as np
from scipy.special import logsumexp, softmax

from forgetting.mixture.components import POTENTIALS
from forgetting.mixture.densities import Array, log_normal
from forgetting.mixture.simulations.descent import Estimator


def own_weights(rng: np.random.Generator, n: int, means: Array, goal: Array) -> Estimator:
    """Score-function gradient of reverse KL in the logits z, shape (K, seeds), from n own samples."""

    def estimate(z: Array) -> Array:
        beta = softmax(z, axis=0)
        which = (rng.random((z.shape[1], n)) > np.cumsum(beta, axis=0)[:-1, :, None]).sum(0)
        x = means[which] + rng.standard_normal(which.shape)
        density = log_normal(x, means[:, None, None])
        joint = np.log(beta)[..., None] + density
        log_q = logsumexp(joint, axis=0)
        reward = log_q - logsumexp(np.log(goal)[:, None, None] + density, axis=0)
        centred = (reward - reward.mean(-1, keepdims=True)) / (n - 1)
        return np.asarray(((np.exp(joint - log_q) - beta[..., None]) * centred).sum(-1))

    return estimate


def draw(rng: np.random.Generator, name: str, n: int) -> Array:
    """n samples of p ∝ e^{−V}: by rejection from N(0, 1) when V − x²/2 ≥ its minimum at 0, else directly."""
    if name == "logistic":
        return rng.logistic(size=n)
    if name == "Laplace":
        return rng.laplace(size=n)
    x = rng.standard_normal(4 * n)
    excess = POTENTIALS[name](x) - x**2 / 2 - POTENTIALS[name](np.zeros(1))
    kept = x[rng.random(4 * n) < np.exp(-excess)]
    if kept.size < n:
        raise RuntimeError(f"Only {kept.size} of {n} samples of {name} were accepted: draw more proposals.")
    return kept[:n]


def overlap_samples(rng: np.random.Generator, name: str, distance: float, n: int) -> Array:
    """n unbiased values of the Bhattacharyya coefficient, drawn halfway between the two components."""
    y, potential = draw(rng, name, n), POTENTIALS[name]
    return np.exp(potential(y) - (potential(y + distance / 2) + potential(y - distance / 2)) / 2)

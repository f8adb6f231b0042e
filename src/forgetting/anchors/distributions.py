"""Distributions over a few answers: both directions of KL, and their exact gradients in the logits.

Probabilities are float64 arrays of shape (…, answers) that sum to 1 along the last axis; KL is in nats.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import rel_entr, softmax, xlogy

from forgetting.results import Array


def require_distribution(p: Array, name: str = "distribution") -> None:
    """Raise ValueError unless p is non-negative and sums to 1 along its last axis."""
    if not (np.all(p >= 0) and np.allclose(p.sum(-1), 1, rtol=0, atol=1e-9)):
        raise ValueError(f"The {name} must be non-negative and sum to 1, got {p}: divide it by its sum.")


def kl(p: Array, q: Array) -> Array:
    """KL(p ‖ q) along the last axis; ∞ where q denies what p says."""
    return np.asarray(rel_entr(p, q).sum(-1))


def cross_entropy(target: Array, pi: Array) -> Array:
    """−Σ target log π along the last axis."""
    return np.asarray(-xlogy(target, pi).sum(-1))


def cross_entropy_gradient(pi: Array, target: Array) -> Array:
    """∂/∂z of the cross-entropy to `target`, π − target; of KL(target ‖ π), the forward anchor, too.

    Every answer but the target's is cut by its own probability.
    """
    return pi - target


def reverse_gradient(pi: Array, ref: Array) -> Array:
    """∂/∂z of KL(π ‖ ref): π (log(π/ref) − KL(π ‖ ref)); π and ref must be positive."""
    return np.asarray(pi * (np.log(pi / ref) - kl(pi, ref)[..., None]))


def fisher(pi: Array) -> Array:
    """Fisher matrix diag(π) − ππᵀ of one row of logits, (answers, answers)."""
    return np.diag(pi) - np.outer(pi, pi)


def quadratic(delta: Array, pi: Array) -> Array:
    """½ δᵀFδ for changes of the logits (…, answers): what either KL is close to π, and what EWC penalises."""
    return np.asarray(0.5 * np.einsum("...i,ij,...j", delta, fisher(pi), delta))


def shifted(pi: Array, delta: Array) -> Array:
    """π after its logits have moved by δ (…, answers)."""
    return np.asarray(softmax(np.log(pi) + delta, axis=-1))


def descend(gradient: Callable[[Array], Array], start: Array, rate: float, steps: int) -> Array:
    """Distribution at the end of plain gradient descent on the logits; `gradient` maps π to ∂/∂z."""
    z = np.log(start)
    for _ in range(steps):
        z = z - rate * gradient(softmax(z, axis=-1))
    return np.asarray(softmax(z, axis=-1))

"""Where training on new data with an anchor ends, and whether some replay of old data ends there too.

Objective: cross-entropy to the new data + weight × anchor. Replay with share s is cross-entropy to the mixture
(1 − s) new + s old, which ends at that mixture.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import lambertw

from forgetting.anchors.distributions import cross_entropy_gradient, require_distribution, reverse_gradient
from forgetting.results import Array


def mixture(new: Array, old: Array, share: float) -> Array:
    """(1 − share) new + share old: what replay trains on, and where it ends."""
    return (1 - share) * new + share * old


def replay_share(weight: float) -> float:
    """Share β/(1 + β) at which replay ends where the forward anchor of weight β does."""
    return weight / (1 + weight)


def forward_optimum(new: Array, ref: Array, weight: float) -> Array:
    """argmin of KL(new ‖ π) + β KL(ref ‖ π) = (new + β ref)/(1 + β)."""
    require_distribution(new, "new data")
    return (new + weight * ref) / (1 + weight)


def forward_anchored(pi: Array, new: Array, ref: Array, weight: float) -> Array:
    """∂/∂z of KL(new ‖ π) + β KL(ref ‖ π): everywhere (1 + β) times the gradient of replay with share β/(1 + β)."""
    return cross_entropy_gradient(pi, new) + weight * cross_entropy_gradient(pi, ref)


def reverse_anchored(pi: Array, new: Array, ref: Array, weight: float) -> Array:
    """∂/∂z of KL(new ‖ π) + w KL(π ‖ ref)."""
    return cross_entropy_gradient(pi, new) + weight * reverse_gradient(pi, ref)


def reverse_optimum(new: Array, ref: Array, weight: float) -> Array:
    """argmin of KL(new ‖ π) + w KL(π ‖ ref).

    Stationary where w πₖ (log(πₖ/refₖ) − a) = newₖ with one number a for all answers, so πₖ = refₖ exp(a + W(xₖ))
    with Lambert's W at xₖ = newₖ/(w refₖ eᵃ); a is what makes the sum 1. Raises ValueError when `new` is none, or
    ref is not positive.
    """
    require_distribution(new, "new data")
    if np.any(ref <= 0):
        raise ValueError(f"The reference must be positive, got {ref}: the reverse anchor forbids what it denies.")

    def solution(a: float) -> Array:
        return np.asarray(ref * np.exp(a + lambertw(new / (weight * ref * np.exp(a))).real))

    a = brentq(lambda a: solution(a).sum() - 1, -1 / weight - 1e-9, 0.0, xtol=1e-14)
    return solution(a)


def nearest_mixture(pi: Array, new: Array, ref: Array) -> tuple[float, float]:
    """Share of the replay mixture nearest to π, and its total-variation distance from π.

    The distance is convex and piecewise linear in the share, so least at an end or where one answer agrees exactly.
    """
    agree = (pi - new)[ref != new] / (ref - new)[ref != new]
    shares = np.clip(np.concatenate([[0.0, 1.0], agree]), 0, 1)
    apart = [0.5 * np.abs(pi - mixture(new, ref, share)).sum() for share in shares]
    nearest = int(np.argmin(apart))
    return float(shares[nearest]), float(apart[nearest])

"""The two directions of KL as mass moves between two answers, and where their common quadratic stops being true."""

import numpy as np
from scipy.optimize import brentq

from forgetting.anchors.distributions import kl, quadratic, shifted
from forgetting.results import Array

ANSWERS = ("usual tone", "usual tone, second", "refusal", "rare fact", "never said")
REFERENCE = np.array([0.60, 0.30, 0.07, 0.029, 0.001])
USUAL, RARE, NEVER = 0, 3, 4
ERASED = 0.029 - 0.0003  # mass that leaves the rare fact
SAID = 0.07  # mass that comes to what was never said


def moved(source: int, goal: int, mass: Array, ref: Array = REFERENCE) -> Array:
    """The reference after `mass` (…) went from one answer to another: (…, answers).

    Raises ValueError when more is taken than the source has.
    """
    mass = np.asarray(mass, float)
    if np.any(mass < 0) or np.any(mass > ref[source]):
        raise ValueError(f"Mass to move must lie in [0, {ref[source]}], got {mass}: the answer has no more to give.")
    pi = np.broadcast_to(ref, (*mass.shape, ref.size)).copy()
    pi[..., source] -= mass
    pi[..., goal] += mass
    return pi


def penalties(pi: Array, ref: Array = REFERENCE) -> tuple[Array, Array]:
    """Forward KL(ref ‖ π) and reverse KL(π ‖ ref)."""
    return kl(ref, pi), kl(pi, ref)


def relative_to_quadratic(distance: Array, direction: Array, ref: Array = REFERENCE) -> tuple[Array, Array]:
    """Forward and reverse KL over ½δᵀFδ at δ = distance (n,) × direction (answers,), both (n,)."""
    delta = np.multiply.outer(np.asarray(distance, float), direction)
    forward, reverse = penalties(shifted(ref, delta), ref)
    return forward / quadratic(delta, ref), reverse / quadratic(delta, ref)


def skewness(direction: Array, ref: Array = REFERENCE) -> float:
    """κ₃/κ₂ of the direction's values under the reference.

    KL over the quadratic is 1 + κ₃t/3κ₂ + O(t²) forward and 1 + 2κ₃t/3κ₂ + O(t²) reverse at distance t: the
    cumulants of the log-partition function, KL(ref ‖ π) = A(z+δ) − A(z) − δ·ref.
    """
    centred = direction - ref @ direction
    return float(ref @ centred**3 / (ref @ centred**2))


def parting(direction: Array, factor: float = 1.1, ref: Array = REFERENCE, furthest: float = 20.0) -> float:
    """Least distance along `direction` at which the larger KL is `factor` times the smaller.

    NaN when that does not happen up to `furthest`.
    """

    def excess(distance: float) -> float:
        forward, reverse = penalties(shifted(ref, distance * direction), ref)
        return float(abs(np.log(forward / reverse)) - np.log(factor))

    tried = np.geomspace(1e-2, furthest, 200)
    apart = [excess(distance) > 0 for distance in tried]
    first = int(np.argmax(apart))
    return brentq(excess, tried[first - 1], tried[first]) if any(apart) and first else float("nan")

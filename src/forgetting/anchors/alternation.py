"""Cross-entropy pushes one answer up, an anchor pulls it back: where they settle, in closed form and by alternating.

Two outcomes, the new token with probability q and all else. Cross-entropy on the token pushes its logit up by
c(1 − q), c = 1 or 2. The pull is
    forward   q − ref                        the true gradient of KL(ref ‖ π)
    reverse   q (log(q/ref) − KL(π ‖ ref))   the true gradient of KL(π ‖ ref)
    approximate   q log(q/ref)               the reverse one without its last term
"""

from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, lambertw, logit

from forgetting.anchors.distributions import cross_entropy_gradient, reverse_gradient
from forgetting.results import Array

Pull = Literal["approximate", "reverse", "forward"]


def equilibrium(pull: Pull, ref: float, weight: float = 1.0) -> float:
    """q at which weight × cross-entropy and the pull balance.

    approximate: c(1 − q) = q log(q/ref), so q = c/W(c eᶜ/ref) with Lambert's W; reverse: c = q (logit q − logit ref);
    forward: q = (c + ref)/(c + 1). Raises ValueError unless 0 < ref < 1.
    """
    if not 0 < ref < 1:
        raise ValueError(f"The reference probability must lie strictly between 0 and 1, got {ref}.")
    if pull == "forward":
        return (weight + ref) / (weight + 1)
    if pull == "approximate":
        return float(weight / lambertw(weight * np.exp(weight) / ref).real)
    return float(expit(brentq(lambda z: expit(z) * (z - logit(ref)) - weight, logit(ref), 50.0, xtol=1e-13)))


def _pushed(logits: Array, gradient: Array, rate: float, token_alone: bool) -> Array:
    """One half-step of descent; the token's logit comes first, and moves alone in the approximate rows."""
    return logits - rate * (gradient * np.array([1.0, 0.0]) if token_alone else gradient)


def alternate(pull: Pull, ref: Array, weight: float = 1.0, rate: float = 0.005, steps: int = 6000) -> Array:
    """q (steps, refs) of descent that alternates the two steps from the reference on, read half-way between them.

    Where that settles differs from `equilibrium` by a term linear in the rate: up to 0.003 at rate 0.02. The
    approximate rows move the token's logit alone, by the approximate pull; the others move both logits by the
    true gradients of a two-outcome softmax.
    """
    reference = np.stack([ref, 1 - ref], -1)
    logits, approximate = np.log(reference), pull == "approximate"
    token = np.array([1.0, 0.0])
    path = np.empty((steps, len(ref)))
    for step in range(steps):
        pi = _softmax(logits)
        logits = _pushed(logits, weight * cross_entropy_gradient(pi, token), rate, approximate)
        above = _softmax(logits)
        if approximate:
            back = above * np.log(above / reference)
        else:
            back = (cross_entropy_gradient if pull == "forward" else reverse_gradient)(above, reference)
        logits = _pushed(logits, back, rate, approximate)
        path[step] = (above[:, 0] + _softmax(logits)[:, 0]) / 2
    return path


def settled(pull: Pull, ref: Array, weight: float = 1.0, rate: float = 0.005) -> Array:
    """q (refs,) where `alternate` settles at rate 0: extrapolated from two rates, its bias being linear in the rate."""
    steps = round(30 / rate)
    fine, coarse = (alternate(pull, ref, weight, r, n)[-1] for r, n in ((rate, steps), (2 * rate, steps // 2)))
    return np.asarray(2 * fine - coarse)


def _softmax(logits: Array) -> Array:
    """Softmax over two outcomes, (refs, 2)."""
    q = expit(logits[:, 0] - logits[:, 1])
    return np.stack([q, 1 - q], -1)

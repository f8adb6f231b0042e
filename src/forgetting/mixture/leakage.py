"""Leakage: how much of one mode a mixture explains by the other (lemma of section 1)."""

import numpy as np

from forgetting.mixture.densities import Array, expit, logit, require_separation, require_weight
from forgetting.mixture.quadrature import Line, line


def _leakage(c: Array, delta: Array, grid: Line) -> Array:
    c, delta = np.broadcast_arrays(c, delta)
    share = expit(c[..., None] - delta[..., None] ** 2 / 2 + delta[..., None] * grid.x)
    return grid.normal(share, 0.0)


def leakage(weight: Array | float, delta: Array | float) -> Array:
    """ε(w) = E_{p_o}[share of p_n in w p_o + (1−w) p_n], broadcast over weight and separation.

    Raises ValueError for a weight outside (0, 1) or δ ≤ 0.
    """
    require_weight(weight)
    require_separation(delta)
    return _leakage(-np.asarray(logit(weight)), np.asarray(delta, float), line(0.0))


def new_leakage(beta: Array | float, delta: Array | float) -> Array:
    """ε_n(β) = E_{p_n}[r_o] = ε(1−β), by symmetry; the part of the new data that keeps the old weight up."""
    require_weight(beta, "old weight")
    require_separation(delta)
    return _leakage(np.asarray(logit(beta)), np.asarray(delta, float), line(0.0))


def bound(weight: Array | float, delta: Array | float) -> Array:
    """Upper bound ½√((1−w)/w)·exp(−δ²/8) of ε(w): Bhattacharyya's, since min(a, b) ≤ √(ab)."""
    require_weight(weight)
    require_separation(delta)
    w = np.asarray(weight)
    return np.asarray(0.5 * np.sqrt((1 - w) / w) * np.exp(-(np.asarray(delta) ** 2) / 8))


def sharp(weight: Array | float, delta: Array | float) -> Array:
    """Large-δ form √(π/2)/δ·√((1−w)/w)·exp(−δ²/8)(1−(π²+c²)/2δ²) of ε(w), c = ln((1−w)/w)."""
    w, d = np.asarray(weight), np.asarray(delta)
    c = -logit(w)
    correction = 1 - (np.pi**2 + c**2) / (2 * d**2)
    return np.asarray(np.sqrt(np.pi / 2) / d * np.sqrt((1 - w) / w) * np.exp(-(d**2) / 8) * correction)

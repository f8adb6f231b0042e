"""Forward KL on new data alone: the old weight goes to zero like 1/t (section 2)."""

import numpy as np
from scipy.special import ndtr, wrightomega

from forgetting.mixture import quadrature
from forgetting.mixture.densities import (
    Array,
    expit,
    log_mixture,
    logit,
    require_separation,
    require_weight,
    responsibility,
)
from forgetting.mixture.quadrature import Line, coarse_line, line


def loss(theta: Array, delta: float, grid: Line | None = None) -> float:
    """Cross entropy −E_{p_n} log q of the new data under θ = (φ, m_o, m_n)."""
    grid = grid or line(delta)
    return float(-grid.normal(log_mixture(grid.x, *theta), delta))


def gradient(theta: Array, delta: float, grid: Line | None = None) -> Array:
    """Gradient of `loss`: (β − E r_o, −E r_o(x−m_o), −E r_n(x−m_n)), expectations under p_n; shape (3,)."""
    grid = grid or line(delta)
    phi, m_o, m_n = theta
    r_o = responsibility(grid.x, phi, m_o, m_n)
    pulls = np.stack([r_o, r_o * (grid.x - m_o), (1 - r_o) * (grid.x - m_n)])
    e_r, e_o, e_n = grid.normal(pulls, delta)
    return np.array([expit(phi) - e_r, -e_o, -e_n])


def weight(times: Array, b0: float, delta: float) -> Array:
    """β(t) of the exact flow φ' = −(β − ε_n(β)) with both components right and fixed."""
    require_weight(b0, "old weight")
    require_separation(delta)
    grid = line(0.0)

    def velocity(phi: Array) -> Array:
        leak = grid.normal(expit(phi - delta**2 / 2 + delta * grid.x), 0.0)
        return np.asarray(leak - expit(phi))

    return np.asarray(expit(quadrature.flow(velocity, [float(logit(b0))], times)[0]))


def weight_without_leakage(times: Array, b0: float) -> Array:
    """β(t) = 1/(1 + ω(t + u₀ + ln u₀)), u₀ = (1−b₀)/b₀, ω Wright's function: the δ → ∞ flow, algebraic."""
    require_weight(b0, "old weight")
    u0 = (1 - b0) / b0
    return np.asarray(1 / (1 + wrightomega(times + u0 + np.log(u0)).real))


def leakage_share(beta: Array, delta: float) -> Array:
    """Limit Φ((ln(1/β) − δ²/2)/δ) of ε_n(β)/β: leakage takes over below β = exp(−δ²/2)."""
    return np.asarray(ndtr((-np.log(beta) - delta**2 / 2) / delta))


def recursion(record: Array, learning_rate: float, b0: float, deltas: Array) -> Array:
    """Full-batch descent at a finite learning rate: β after `record` steps, shape (deltas, records)."""
    require_weight(b0, "old weight")
    require_separation(deltas)
    grid = coarse_line(0.0)
    density = np.exp(-(grid.x**2) / 2) / np.sqrt(2 * np.pi) * grid.step
    inside = density > 1e-18
    tilt = deltas[:, None] * grid.x[inside] - deltas[:, None] ** 2 / 2
    phi, kept = np.full(len(deltas), float(logit(b0))), {}
    for step in range(int(record[-1]) + 1):
        kept[step] = phi
        phi = phi - learning_rate * (expit(phi) - expit(phi[:, None] + tilt) @ density[inside])
    return np.asarray(expit(np.stack([kept[int(step)] for step in record], axis=-1)))


def flow(times: Array, b0: float, delta: float) -> Array:
    """(φ, m_o, m_n) at `times` with all trained, from the right means: the old mean is dragged along."""
    require_weight(b0, "old weight")
    require_separation(delta)
    grid = coarse_line(delta)
    return quadrature.flow(lambda theta: -gradient(theta, delta, grid), [float(logit(b0)), 0.0, delta], times)


def old_region_mass(theta: Array, delta: float) -> Array:
    """Mass that the learner puts nearer to the old mean than to the new one; θ of shape (3, ...)."""
    phi, m_o, m_n = theta
    beta = expit(phi)
    return np.asarray(beta * ndtr(delta / 2 - m_o) + (1 - beta) * ndtr(delta / 2 - m_n))

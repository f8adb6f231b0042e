"""TTT-Discover (arXiv 2601.16175): entropic utility of a reward, with a KL anchor to the starting model (6).

J = log E_q e^{ηR} − λ KL(q‖q₀) is climbed; ρ = E_old e^{ηR}/E_new e^{ηR} is what the reward leaves to the
old mode.
"""

import numpy as np
from scipy.optimize import brentq

from forgetting.mixture import quadrature, reverse
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


def reward(x: Array, delta: float) -> Array:
    """The judge's reward in [0, 1]: the posterior of the new mode under equal weights, smooth and local."""
    return 1 - responsibility(x, 0.0, 0.0, delta)


def odds(eta: float, delta: float) -> float:
    """ρ = E_{p_o} e^{ηR} / E_{p_n} e^{ηR} of the judge's reward."""
    require_separation(delta)
    grid = line(delta)
    utility = np.exp(eta * (reward(grid.x, delta) - 1))
    return float(grid.normal(utility, 0.0) / grid.normal(utility, delta))


def weight_gradient(phi: float, rho: float, anchor: float, phi0: float) -> float:
    """dJ/dφ = β(1−β)[−(1−ρ)/(1−(1−ρ)β) − λ(φ−φ₀)] for separated modes."""
    beta = float(expit(phi))
    return beta * (1 - beta) * (-(1 - rho) / (1 - (1 - rho) * beta) - anchor * (phi - phi0))


def weight(times: Array, b0: float, rho: float, anchor: float) -> Array:
    """β(t) of the ascent from β = b₀ = σ(φ₀)."""
    require_weight(b0, "old weight")
    phi0 = float(logit(b0))
    path = quadrature.flow(lambda phi: np.array([weight_gradient(phi[0], rho, anchor, phi0)]), [phi0], times)
    return np.asarray(expit(path[0]))


def resting_weight(b0: float, rho: float, anchor: float) -> float:
    """β*, the one root of dJ/dφ for λ > 0."""
    require_weight(b0, "old weight")
    if not anchor > 0:
        raise ValueError(f"Without an anchor the weight rests nowhere, got lambda = {anchor}: choose lambda > 0.")
    phi0 = float(logit(b0))

    def force(phi: float) -> float:
        return -(1 - rho) / (1 - (1 - rho) * float(expit(phi))) - anchor * (phi - phi0)

    lowest = phi0 - 1 / (anchor * (1 - b0)) - 1
    return float(expit(brentq(force, lowest, phi0, xtol=1e-13)))


def critical_anchor(retained: float, b0: float, rho: float) -> float:
    """λ_c(b) = (1−ρ)/[(1−(1−ρ)b)(φ₀ − logit b)]: the weakest anchor that keeps β* ≥ b; b < b₀."""
    require_weight(retained, "retained weight")
    require_weight(b0, "old weight")
    if not retained < b0:
        raise ValueError(f"The retained weight {retained} must lie below the starting weight {b0}.")
    return float((1 - rho) / ((1 - (1 - rho) * retained) * (logit(b0) - logit(retained))))


def sharpest_tilt(beta: float) -> float:
    """Supremum −ln(1−β) over η of KL(weights ‖ uniform) for a yes/no reward that only new samples earn.

    The adaptive rule asks for ln 2, so it has a solution only while β ≥ ½.
    """
    require_weight(beta, "old weight")
    return float(-np.log1p(-beta))


def utility(theta: Array, start: Array, eta: float, anchor: float, delta: float, grid: Line) -> float:
    """J for θ = (φ, m_o, m_n) anchored at `start`."""
    log_q = log_mixture(grid.x, *theta)
    mean = grid.density(np.exp(eta * reward(grid.x, delta)), log_q)
    return float(np.log(mean)) - anchor * reverse.loss(theta, start, grid)


def gradient(theta: Array, start: Array, eta: float, anchor: float, delta: float, grid: Line) -> Array:
    """Gradient of `utility`, shape (3,); for the means β_i E_{q_i}[∂e^{ηR}/∂x]/E_q e^{ηR}."""
    phi, m_o, m_n = theta
    beta, r = expit(phi), reward(grid.x, delta)
    u = np.exp(eta * r)
    rise = u * eta * delta * r * (1 - r)
    u_o, rise_o = grid.normal(np.stack([u, rise]), m_o)
    u_n, rise_n = grid.normal(np.stack([u, rise]), m_n)
    climb = np.array([beta * (1 - beta) * (u_o - u_n), beta * rise_o, (1 - beta) * rise_n])
    return np.asarray(climb / (beta * u_o + (1 - beta) * u_n) - anchor * reverse.gradient(theta, start, grid))


def flow(times: Array, b0: float, eta: float, anchor: float, delta: float) -> Array:
    """(φ, m_o, m_n) of the ascent from (logit b₀, 0, δ), which is also the anchor; shape (3, times)."""
    start, grid = reverse.target(b0, delta), coarse_line(delta)
    return quadrature.flow(lambda theta: gradient(theta, start, eta, anchor, delta, grid), start, times)

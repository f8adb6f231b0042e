"""Reverse KL to the target p_α: the old weight returns to α, the old mean moves only by overlap (4)."""

import numpy as np
from scipy.integrate import quad

from forgetting.mixture import quadrature
from forgetting.mixture.densities import (
    Array,
    expit,
    log_mixture,
    logit,
    require_separation,
    require_weight,
    responsibility,
    score,
)
from forgetting.mixture.quadrature import Line, coarse_line, line


def target(alpha: float, delta: float) -> Array:
    """Parameters (logit α, 0, δ) of p_α."""
    require_weight(alpha, "target weight")
    require_separation(delta)
    return np.array([float(logit(alpha)), 0.0, delta])


def loss(theta: Array, goal: Array, grid: Line) -> float:
    """KL(q‖p) of two mixtures with parameters θ and `goal`."""
    log_q = log_mixture(grid.x, *theta)
    return float(grid.density(log_q - log_mixture(grid.x, *goal), log_q))


def gradient(theta: Array, goal: Array, grid: Line) -> Array:
    """Gradient of `loss` in (φ, m_o, m_n).

    ∂φ = β(1−β)(E_{q_o}ℓ − E_{q_n}ℓ); for the means the reparametrised form ∂m_i = β_i E_{q_i}[∂ℓ/∂x], in
    which the large terms of the score form have already cancelled; ℓ = log q − log p. Shape (3,).
    """
    phi, m_o, m_n = theta
    beta = expit(phi)
    ratio = log_mixture(grid.x, *theta) - log_mixture(grid.x, *goal)
    push = score(grid.x, *theta) - score(grid.x, *goal)
    l_o, g_o = grid.normal(np.stack([ratio, push]), m_o)
    l_n, g_n = grid.normal(np.stack([ratio, push]), m_n)
    return np.array([beta * (1 - beta) * (l_o - l_n), beta * g_o, (1 - beta) * g_n])


def flow(times: Array, start: Array, alpha: float, delta: float) -> Array:
    """(φ, m_o, m_n) at `times` along the gradient flow to p_α; shape (3, times)."""
    goal, grid = target(alpha, delta), coarse_line(delta)
    return quadrature.flow(lambda theta: -gradient(theta, goal, grid), start, times)


def weight(times: Array, b0: float, alpha: float, delta: float) -> Array:
    """β(t) with both components right and fixed."""
    require_weight(b0, "old weight")
    goal, grid = target(alpha, delta), coarse_line(delta)

    def velocity(phi: Array) -> Array:
        return -gradient(np.array([phi[0], 0.0, delta]), goal, grid)[:1]

    return np.asarray(expit(quadrature.flow(velocity, [float(logit(b0))], times)[0]))


def hitting_time(b0: float, b1: float, alpha: float) -> float:
    """Time of the separated flow φ' = −β(1−β)(φ−φ_α) from b₀ to b₁, as ∫dφ/φ'; b₁ between b₀ and α."""
    for value in (b0, b1, alpha):
        require_weight(value)
    if not min(b0, alpha) < b1 < max(b0, alpha):
        raise ValueError(f"The flow from {b0} to {alpha} never passes {b1}: choose a level between the two.")
    phi_alpha = float(logit(alpha))

    def pace(phi: float) -> float:
        beta = float(expit(phi))
        return 1 / (beta * (1 - beta) * (phi_alpha - phi))

    return float(quad(pace, float(logit(b0)), float(logit(b1)))[0])


def old_mean_gradient(beta: float, m_n: float, alpha: float, delta: float) -> float:
    """∇_{m_o}L at m_o = μ_o: β{E_{p_o}[r_n](m_n−μ_o) − E_{p_o}[s_n](μ_n−μ_o)}."""
    grid, goal = line(delta), target(alpha, delta)
    r_n = 1 - responsibility(grid.x, float(logit(beta)), 0.0, m_n)
    s_n = 1 - responsibility(grid.x, *goal)
    return float(beta * (grid.normal(r_n, 0.0) * m_n - grid.normal(s_n, 0.0) * delta))


def old_mean_bound(beta: float, m_n: float, alpha: float, delta: float) -> float:
    """Bound ½√(β(1−β))d_q e^{−d_q²/8} + ½β√((1−α)/α)δe^{−δ²/8} of the norm above, d_q = |m_n − μ_o|."""
    for value in (beta, alpha):
        require_weight(value)
    require_separation(delta)
    d_q = abs(m_n)
    own = 0.5 * np.sqrt(beta * (1 - beta)) * d_q * np.exp(-(d_q**2) / 8)
    targets = 0.5 * beta * np.sqrt((1 - alpha) / alpha) * delta * np.exp(-(delta**2) / 8)
    return float(own + targets)


def old_mean_sharp(beta: float, alpha: float, delta: float) -> float:
    """Large-δ norm √(π/2)e^{−δ²/8}β|√((1−β)/β) − √((1−α)/α)| of the gradient at m_n = μ_n."""
    ratio = abs(np.sqrt((1 - beta) / beta) - np.sqrt((1 - alpha) / alpha))
    return float(np.sqrt(np.pi / 2) * np.exp(-(delta**2) / 8) * beta * ratio)


def fisher(alpha: float, delta: float) -> Array:
    """Hessian = Fisher at the optimum along the line: diag(α(1−α), α, 1−α) − E_p[r_o r_n w wᵀ]; shape (3, 3).

    w = (1, x−μ_o, −(x−μ_n)).
    """
    goal, grid = target(alpha, delta), line(delta)
    r_o = responsibility(grid.x, *goal)
    w = np.stack([np.ones_like(grid.x), grid.x, delta - grid.x])
    mixed = np.einsum("ix,jx,x->ij", w, w, r_o * (1 - r_o) * np.exp(log_mixture(grid.x, *goal))) * grid.step
    return np.asarray(np.diag([alpha * (1 - alpha), alpha, 1 - alpha]) - mixed)


def smallest_eigenvalue(alpha: float, delta: float, dimension: int = 1) -> float:
    """λ_min of the Fisher matrix in `dimension` dimensions: the block on the line, one across if d > 1."""
    goal, grid = target(alpha, delta), line(delta)
    smallest = float(np.linalg.eigvalsh(fisher(alpha, delta))[0])
    if dimension > 1:
        r_o = responsibility(grid.x, *goal)
        shared = float(grid.density(r_o * (1 - r_o), log_mixture(grid.x, *goal)))
        across = np.array([[alpha - shared, shared], [shared, 1 - alpha - shared]])
        smallest = min(smallest, float(np.linalg.eigvalsh(across)[0]))
    return smallest


def smallest_eigenvalue_bound(alpha: float, delta: float, dimension: int = 1) -> float:
    """Lower bound α(1−α) − ½√(α(1−α))e^{−δ²/8}(1 + 2d + δ²/2) of λ_min."""
    require_weight(alpha, "target weight")
    require_separation(delta)
    half = 0.5 * np.sqrt(alpha * (1 - alpha)) * np.exp(-(delta**2) / 8)
    return float(alpha * (1 - alpha) - half * (1 + 2 * dimension + delta**2 / 2))

"""OAPL (arXiv 2602.19362): regress τ log(q/q₀) on advantages over a frozen reference's samples (6).

L = E_{q₀}(τ log(q/q₀) − A)², A = R − τ log E_{q₀}e^{R/τ}; its optimum q₀e^{A/τ} re-weights what q₀ has.
"""

import numpy as np

from forgetting.mixture import quadrature, reverse
from forgetting.mixture.densities import Array, expit, log_mixture, logit, require_weight, responsibility
from forgetting.mixture.quadrature import Line, coarse_line, line
from forgetting.mixture.ttt import reward


def fitted_weight(b0: float, gap: float) -> float:
    """β* = σ(φ₀ − ΔR/τ) after one fit, `gap` = ΔR/τ; a mode that the reference lacks (b₀ = 0) stays so."""
    if b0 in (0.0, 1.0):
        return b0
    require_weight(b0, "reference weight")
    return float(expit(logit(b0) - gap))


def resynced_weights(b0: float, gap: float, syncs: int) -> Array:
    """β after each of `syncs` fits to a reference replaced by the last fit: the odds fall by e^{−ΔR/τ}."""
    require_weight(b0, "reference weight")
    return np.asarray(expit(logit(b0) - gap * np.arange(1, syncs + 1)))


def advantage(start: Array, height: float, temperature: float, delta: float, grid: Line) -> Array:
    """A(x) = R(x) − τ log E_{q₀} e^{R/τ} on the grid, R = `height` × the judge's reward."""
    r = height * reward(grid.x, delta)
    value = temperature * np.log(grid.density(np.exp(r / temperature), log_mixture(grid.x, *start)))
    return np.asarray(r - value)


def loss(theta: Array, start: Array, height: float, temperature: float, delta: float, grid: Line) -> float:
    """L at θ = (φ, m_o, m_n) with the reference `start`."""
    log_reference = log_mixture(grid.x, *start)
    miss = temperature * (log_mixture(grid.x, *theta) - log_reference)
    miss = miss - advantage(start, height, temperature, delta, grid)
    return float(grid.density(miss**2, log_reference))


def gradient(theta: Array, start: Array, height: float, temperature: float, delta: float, grid: Line) -> Array:
    """Gradient 2τE_{q₀}[(τ log(q/q₀) − A)∇ log q] of `loss`, shape (3,)."""
    phi, m_o, m_n = theta
    log_reference, r_o = log_mixture(grid.x, *start), responsibility(grid.x, *theta)
    miss = temperature * (log_mixture(grid.x, *theta) - log_reference)
    miss = miss - advantage(start, height, temperature, delta, grid)
    scores = np.stack([r_o - expit(phi), r_o * (grid.x - m_o), (1 - r_o) * (grid.x - m_n)])
    return 2 * temperature * grid.density(scores * miss, log_reference)


def old_mean_gradient(b0: float, height: float, temperature: float, delta: float) -> float:
    """∇_{m_o}L = −2τβ₀E_{p_o}[∂R/∂x] at the reference: only where the reward changes, between the modes."""
    require_weight(b0, "reference weight")
    grid = line(delta)
    r = reward(grid.x, delta)
    return float(-2 * temperature * b0 * grid.normal(height * delta * r * (1 - r), 0.0))


def flow(times: Array, b0: float, height: float, temperature: float, delta: float) -> Array:
    """(φ, m_o, m_n) of the descent from the reference (logit b₀, 0, δ), kept frozen; shape (3, times)."""
    start, grid = reverse.target(b0, delta), coarse_line(delta)

    def velocity(theta: Array) -> Array:
        return -gradient(theta, start, height, temperature, delta, grid)

    return quadrature.flow(velocity, start, times)

"""Replay: on the data's side or the model's under forward KL (section 3), in the batch under reverse (5)."""

import numpy as np
from numpy.typing import ArrayLike

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
from forgetting.mixture.leakage import new_leakage
from forgetting.mixture.quadrature import line
from forgetting.mixture.reverse import target


def data_gradient(phi: float, share: float, delta: float) -> float:
    """∂L/∂φ = β − E r_o of −E log q with data (1−λ)p_n + λp_o ("numerator"); zero exactly at β = λ."""
    grid = line(delta)
    r_o = responsibility(grid.x, phi, 0.0, delta)
    return float(expit(phi) - grid.density(r_o, log_mixture(grid.x, float(logit(share)), 0.0, delta)))


def data_weight(times: Array, b0: float, share: float, delta: float) -> Array:
    """β(t) of the flow of `data_gradient`."""
    require_weight(b0, "old weight")
    require_weight(share, "replay share")
    start = [float(logit(b0))]
    path = quadrature.flow(lambda phi: np.array([-data_gradient(phi[0], share, delta)]), start, times)
    return np.asarray(expit(path[0]))


def data_rate(share: float, delta: float) -> float:
    """Rate H = λ(1−λ) − E[r_o r_n] at which replay in the data settles at β = λ."""
    require_weight(share, "replay share")
    require_separation(delta)
    grid, goal = line(delta), target(share, delta)
    r_o = responsibility(grid.x, *goal)
    return float(share * (1 - share) - grid.density(r_o * (1 - r_o), log_mixture(grid.x, *goal)))


def model_loss(phi: float, share: float, delta: float) -> float:
    """−E_{p_n} log((1−λ)q + λp_o): replay mixed into the model ("denominator")."""
    effective = float(share + (1 - share) * expit(phi))
    grid = line(delta)
    return float(-grid.normal(log_mixture(grid.x, float(logit(effective)), 0.0, delta), delta))


def model_gradient(phi: float, share: float, delta: float) -> float:
    """∂/∂φ of `model_loss`: β(β̃ − ε_n(β̃))/β̃ > 0 with the effective mass β̃ = λ + (1−λ)β."""
    beta = float(expit(phi))
    effective = share + (1 - share) * beta
    return float(beta * (effective - new_leakage(effective, delta)) / effective)


def model_weight(times: Array, b0: float, share: float, delta: float) -> Array:
    """β(t) of the flow of `model_gradient`."""
    require_weight(b0, "old weight")
    require_weight(share, "replay share")
    start = [float(logit(b0))]
    path = quadrature.flow(lambda phi: np.array([-model_gradient(phi[0], share, delta)]), start, times)
    return np.asarray(expit(path[0]))


def model_weight_late(times: Array, share: float, delta: float) -> Array:
    """Late form 1/((1−κ)t), κ = ε_n(λ)/λ, of β(t) under replay in the model."""
    return np.asarray(1 / ((1 - new_leakage(share, delta) / share) * times))


def starvation(beta: float, n: int, share: float = 0.0) -> float:
    """Probability ((1−λ)(1−β))^N that a batch of N holds no old sample."""
    require_weight(beta, "old weight")
    return float(((1 - share) * (1 - beta)) ** n)


def largest_weight(share: float) -> float:
    """Bound 1/(1−λ) of the importance weight q/((1−λ)q + λp_o), and of the growth of second moments."""
    return 1 / (1 - share)


def variance_ratio(beta: float, share: float, alpha: float, m_n: float, delta: float) -> tuple[float, float]:
    """Variance of one replay sample's gradient over one on-policy sample's, for φ and for the old mean.

    Score form g = ℓ·(r_o − β, r_o(x−m_o)) at m_o = μ_o, weighted by q/((1−λ)q + λp_o) under replay.
    """
    for value in (beta, share, alpha):
        require_weight(value)
    theta, goal, grid = np.array([float(logit(beta)), 0.0, m_n]), target(alpha, delta), line(max(delta, m_n))
    log_q, r_o = log_mixture(grid.x, *theta), responsibility(grid.x, *theta)
    g = np.stack([r_o - beta, r_o * grid.x]) * (log_q - log_mixture(grid.x, *goal))
    effective = float(logit(share + (1 - share) * beta))
    weight = np.exp(log_q - log_mixture(grid.x, effective, 0.0, m_n))
    mean = grid.density(g, log_q)
    ratio = (grid.density(weight * g**2, log_q) - mean**2) / (grid.density(g**2, log_q) - mean**2)
    return float(ratio[0]), float(ratio[1])


def own_sample_heterozygosity(generations: ArrayLike, b0: float, n: int) -> Array:
    """E[β(1−β)] = b₀(1−b₀)(1−1/N)^t of SFT on own samples: the weight is a Wright–Fisher chain."""
    require_weight(b0, "old weight")
    return np.asarray(b0 * (1 - b0) * (1 - 1 / n) ** np.asarray(generations))

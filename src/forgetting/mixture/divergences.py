"""f-divergences D_f = E_p f(q/p) for the KL: same minimum, curvature f''(1), gains h = u f''(u) (7)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from forgetting.mixture.densities import Array, expit, log_mixture, score
from forgetting.mixture.quadrature import Line


class Divergence(NamedTuple):
    """f, f' and the gain h(u) = u f''(u), each as a function of log u."""

    f: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    gain: Callable[[Array], Array]

    @property
    def curvature(self) -> float:
        """f''(1)."""
        return float(self.gain(np.zeros(1))[0])


def _log1p_half(log_u: Array) -> Array:
    return np.asarray(np.logaddexp(0, log_u) - np.log(2))


DIVERGENCES: dict[str, Divergence] = {
    "reverse KL": Divergence(lambda v: np.exp(v) * v, lambda v: v + 1, np.ones_like),
    "forward KL": Divergence(lambda v: -v, lambda v: -np.exp(-v), lambda v: np.exp(-v)),
    "chi squared": Divergence(lambda v: np.expm1(v) ** 2, lambda v: 2 * np.expm1(v), lambda v: 2 * np.exp(v)),
    "Hellinger": Divergence(
        lambda v: np.expm1(v / 2) ** 2, lambda v: -np.expm1(-v / 2), lambda v: 0.5 * np.exp(-v / 2)
    ),
    "Jensen-Shannon": Divergence(
        lambda v: 0.5 * (np.exp(v) * v - (1 + np.exp(v)) * _log1p_half(v)),
        lambda v: 0.5 * (v - _log1p_half(v)),
        lambda v: 0.5 * expit(-v),
    ),
}


def loss(name: str, theta: Array, goal: Array, grid: Line) -> float:
    """D_f(q‖p) of two mixtures with parameters θ and `goal`."""
    log_p = log_mixture(grid.x, *goal)
    return float(grid.density(DIVERGENCES[name].f(log_mixture(grid.x, *theta) - log_p), log_p))


def gradient(name: str, theta: Array, goal: Array, grid: Line) -> Array:
    """Gradient in (φ, m_o, m_n): β(1−β)(E_{q_o}f' − E_{q_n}f') and β_i E_{q_i}[h·∂ℓ/∂x]; shape (3,)."""
    phi, m_o, m_n = theta
    beta, divergence = expit(phi), DIVERGENCES[name]
    log_u = log_mixture(grid.x, *theta) - log_mixture(grid.x, *goal)
    push = divergence.gain(log_u) * (score(grid.x, *theta) - score(grid.x, *goal))
    terms = np.stack([divergence.slope(log_u), push])
    f_o, g_o = grid.normal(terms, m_o)
    f_n, g_n = grid.normal(terms, m_n)
    return np.array([beta * (1 - beta) * (f_o - f_n), beta * g_o, (1 - beta) * g_n])

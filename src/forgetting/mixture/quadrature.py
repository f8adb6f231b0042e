"""Quadrature on the line, and integration of gradient flows.

While every mean lies on one line, one-dimensional quadrature is exact in any dimension. The integrands are
analytic and vanish at both ends, so the trapezoid rule converges exponentially: a step of 0.02 is exact to
rounding.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from forgetting.mixture.densities import Array, log_normal

MARGIN = 14.0  # standard deviations beyond either mean; N(0, 1) is below 1e-42 there


class Line(NamedTuple):
    """Grid points x, shape (points,), and their spacing."""

    x: Array
    step: float

    def normal(self, f: Array, mean: float) -> Array:
        """E f under N(mean, 1); f has shape (..., points)."""
        return np.asarray(f @ np.exp(log_normal(self.x, mean)) * self.step)

    def density(self, f: Array, log_density: Array) -> Array:
        """∫ f exp(log_density) dx over the grid."""
        return np.asarray(f @ np.exp(log_density) * self.step)


def line(delta: float, step: float = 0.02) -> Line:
    """Grid over [−14, δ+14]."""
    points = int(np.ceil((delta + 2 * MARGIN) / step)) + 1
    x, spacing = np.linspace(-MARGIN, delta + MARGIN, points, retstep=True)
    return Line(x, float(spacing))


def coarse_line(delta: float) -> Line:
    """Grid over [−9, δ+9] with a step of about 0.1: for flows, which need no more than ten digits."""
    x, spacing = np.linspace(-9.0, delta + 9.0, int(np.ceil((delta + 18.0) / 0.1)) + 1, retstep=True)
    return Line(x, float(spacing))


def flow(velocity: Callable[[Array], Array], start: Array | list[float], times: Array) -> Array:
    """Integrate θ' = velocity(θ) from `start` at time 0; return θ at `times`, shape (parameters, times).

    Raises RuntimeError when the integrator gives up.
    """
    solution = solve_ivp(
        lambda _t, theta: velocity(theta),
        (0.0, float(times[-1])),
        np.asarray(start, dtype=float),
        method="LSODA",
        t_eval=times,
        rtol=1e-8,
        atol=1e-12,
    )
    if not solution.success:
        raise RuntimeError(f"The flow from {start} could not be integrated: {solution.message}")
    return np.asarray(solution.y)


def slope(x: Array, y: Array) -> float:
    """Least-squares slope of y on x."""
    return float(np.polyfit(x, y, 1)[0])

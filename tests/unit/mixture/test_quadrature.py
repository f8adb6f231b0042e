"""The grids are exact to rounding, and a flow that cannot be integrated says so."""

from types import SimpleNamespace

import numpy as np
import pytest

from forgetting.mixture import quadrature, reverse
from forgetting.mixture.densities import log_mixture
from forgetting.mixture.quadrature import Line, coarse_line, flow, line, slope


def fine(delta: float) -> Line:
    x, step = np.linspace(-14, delta + 14, 24001, retstep=True)
    return Line(x, float(step))


@pytest.mark.parametrize("delta", [0.5, 4.0, 10.0])
def test_line_agrees_with_24001_points(delta):
    theta, goal = np.array([1.2, 0.3, delta + 0.4]), reverse.target(0.3, delta)
    np.testing.assert_allclose(
        reverse.gradient(theta, goal, line(delta)),
        reverse.gradient(theta, goal, fine(delta)),
        rtol=1e-9,
        atol=1e-15,
    )


@pytest.mark.parametrize("delta", [0.5, 4.0, 8.0])
def test_coarse_line_keeps_the_digits_that_flows_need(delta):
    theta, goal = np.array([1.2, 0.0, delta]), reverse.target(0.3, delta)
    np.testing.assert_allclose(
        reverse.gradient(theta, goal, coarse_line(delta)),
        reverse.gradient(theta, goal, fine(delta)),
        rtol=1e-7,
    )


def test_densities_integrate_to_one():
    grid = line(3.0)
    assert grid.density(np.ones_like(grid.x), log_mixture(grid.x, 0.5, 0.0, 3.0)) == pytest.approx(1, abs=1e-13)
    assert grid.normal(grid.x**2, 1.0) == pytest.approx(2, abs=1e-12)


def test_flow_solves_a_known_equation():
    times = np.array([0.0, 1.0, 3.0])
    np.testing.assert_allclose(flow(lambda y: -y, [2.0], times)[0], 2 * np.exp(-times), rtol=1e-7)


def test_a_flow_that_fails_says_from_where(monkeypatch):
    failed = SimpleNamespace(success=False, message="step too small")
    monkeypatch.setattr(quadrature, "solve_ivp", lambda *_, **__: failed)
    with pytest.raises(RuntimeError, match=r"from \[1.0\] could not be integrated: step too small"):
        flow(lambda y: y, [1.0], np.array([2.0]))


def test_slope_of_a_line():
    x = np.array([1.0, 2.0, 5.0])
    assert slope(x, 3 - 2 * x) == pytest.approx(-2)

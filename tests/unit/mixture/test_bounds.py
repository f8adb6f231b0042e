"""Bounds hold over the whole range of the theory: δ from 0.5 to 10, weights from 0.01 to 0.99."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetting.mixture import components, leakage, replay, reverse, sdft, ttt
from forgetting.mixture.densities import log_mixture, logit
from forgetting.mixture.quadrature import line

DELTA = st.floats(0.5, 10.0)
WEIGHT = st.floats(0.01, 0.99)
BRIEF = settings(max_examples=60, deadline=None, derandomize=True)
TINY = 1 + 1e-9


@BRIEF
@given(WEIGHT, DELTA)
def test_leakage_is_below_its_bound_and_both_sides_mirror(w, delta):
    assert 0 < leakage.leakage(w, delta) <= leakage.bound(w, delta) * TINY
    np.testing.assert_allclose(leakage.new_leakage(w, delta), leakage.leakage(1 - w, delta), rtol=1e-12)


@BRIEF
@given(WEIGHT, st.floats(7.0, 10.0))
def test_sharp_leakage_is_near(w, delta):
    c = float(logit(w))
    slack = 3 * ((np.pi**2 + c**2) / (2 * delta**2)) ** 2  # the next order of the same expansion
    assert abs(leakage.sharp(w, delta) / leakage.leakage(w, delta) - 1) <= slack


@BRIEF
@given(WEIGHT, DELTA)
def test_forward_kl_always_pushes_the_old_weight_down(beta, delta):
    assert beta - leakage.new_leakage(beta, delta) > 0


@BRIEF
@given(WEIGHT, WEIGHT, DELTA)
def test_replay_in_the_model_always_pushes_the_old_weight_down(beta, share, delta):
    assert replay.model_gradient(float(logit(beta)), share, delta) > 0


@BRIEF
@given(WEIGHT, WEIGHT, DELTA)
def test_replay_in_the_data_pulls_towards_its_share(beta, share, delta):
    gradient = replay.data_gradient(float(logit(beta)), share, delta)
    assert gradient * (beta - share) >= 0 or abs(gradient) < 1e-12


@BRIEF
@given(WEIGHT, WEIGHT, DELTA)
def test_reverse_kl_pulls_the_weight_towards_its_target(beta, alpha, delta):
    theta, goal = np.array([float(logit(beta)), 0.0, delta]), reverse.target(alpha, delta)
    gradient = reverse.gradient(theta, goal, line(delta))[0]
    assert gradient * (beta - alpha) >= 0 or abs(gradient) < 1e-12


@BRIEF
@given(WEIGHT, WEIGHT, DELTA, st.floats(0.2, 10.0))
def test_old_mean_gradient_is_below_its_bound(beta, alpha, delta, m_n):
    found = abs(reverse.old_mean_gradient(beta, m_n, alpha, delta))
    assert found <= reverse.old_mean_bound(beta, m_n, alpha, delta) * TINY + 1e-15


@BRIEF
@given(WEIGHT, DELTA, st.integers(1, 20))
def test_smallest_eigenvalue_is_above_its_bound(alpha, delta, dimension):
    least = reverse.smallest_eigenvalue(alpha, delta, dimension)
    assert least > -1e-12
    assert least >= reverse.smallest_eigenvalue_bound(alpha, delta, dimension) - 1e-12


@BRIEF
@given(WEIGHT, WEIGHT, st.floats(0.01, 0.9), DELTA)
def test_replay_grows_second_moments_by_at_most_its_largest_weight(beta, alpha, share, delta):
    theta, goal, grid = np.array([float(logit(beta)), 0.0, delta]), reverse.target(alpha, delta), line(delta)
    log_q = log_mixture(grid.x, *theta)
    mixed = log_mixture(grid.x, float(logit(share + (1 - share) * beta)), 0.0, delta)
    assert np.exp(log_q - mixed).max() <= replay.largest_weight(share) * TINY
    square = (log_q - log_mixture(grid.x, *goal)) ** 2
    assert grid.density(np.exp(log_q - mixed) * square, log_q) <= (
        replay.largest_weight(share) * grid.density(square, log_q) * TINY
    )


@BRIEF
@given(WEIGHT, WEIGHT, WEIGHT, st.floats(0.01, 1.0), st.floats(0.01, 1.0))
def test_sdft_never_falls_below_its_floor(b0, g0, alpha, pull, shown):
    beta = sdft.weights(np.linspace(0, 60, 61), b0, g0, alpha, pull, shown)[0]
    assert beta.min() >= sdft.floor(b0, g0, alpha) - 1e-6


@BRIEF
@given(WEIGHT, st.floats(0.0, 0.9), st.floats(0.05, 5.0), st.floats(0.05, 0.95))
def test_ttt_keeps_b_exactly_when_the_anchor_reaches_the_threshold(b0, rho, anchor, part):
    b = b0 * part
    kept = ttt.resting_weight(b0, rho, anchor)
    critical = ttt.critical_anchor(b, b0, rho)
    assert (kept >= b) == (anchor >= critical) or abs(anchor / critical - 1) < 1e-6


@BRIEF
@given(st.floats(0.1, 8.0))
def test_strongly_log_concave_components_overlap_less_than_gaussians(distance):
    for name in components.CONVEXITY:
        assert components.bhattacharyya(name, distance) <= components.bhattacharyya_bound(name, distance) * TINY


def test_logistic_and_laplace_components_do_not():
    assert components.logistic_overlap(6.0) > 10 * np.exp(-36 / 8)
    assert components.laplace_overlap(6.0) > 10 * np.exp(-36 / 8)

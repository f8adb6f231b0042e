"""Every gradient formula against central differences of the loss that it claims to differentiate, to 1e-6."""

import numpy as np
import pytest

from forgetting.mixture import chen, components, divergences, forward, oapl, replay, reverse, ttt
from forgetting.mixture.densities import expit, log_mixture, logit
from forgetting.mixture.quadrature import line

POINTS = [(0.8, 0.3, 2.6, 2.0), (-1.5, -0.4, 4.3, 4.0), (0.0, 0.0, 5.0, 6.0)]  # φ, m_o, m_n, δ


def differences(loss, theta, h=1e-5):
    theta = np.asarray(theta, float)
    return np.array([(loss(theta + h * e) - loss(theta - h * e)) / (2 * h) for e in np.eye(theta.size)])


@pytest.mark.parametrize(("phi", "m_o", "m_n", "delta"), POINTS)
def test_forward(phi, m_o, m_n, delta):
    theta = np.array([phi, m_o, m_n])
    numeric = differences(lambda t: forward.loss(t, delta), theta)
    np.testing.assert_allclose(forward.gradient(theta, delta), numeric, atol=1e-6)


@pytest.mark.parametrize(("phi", "m_o", "m_n", "delta"), POINTS)
def test_reverse(phi, m_o, m_n, delta):
    theta, goal, grid = np.array([phi, m_o, m_n]), reverse.target(0.3, delta), line(delta)
    numeric = differences(lambda t: reverse.loss(t, goal, grid), theta)
    np.testing.assert_allclose(reverse.gradient(theta, goal, grid), numeric, atol=1e-6)


@pytest.mark.parametrize("m_n", [3.0, 4.0, 4.7])
def test_old_mean_formula_is_the_reverse_gradient_at_the_right_old_mean(m_n):
    goal, grid = reverse.target(0.3, 4.0), line(4.0)
    numeric = differences(lambda t: reverse.loss(t, goal, grid), [logit(0.6), 0.0, m_n])[1]
    assert reverse.old_mean_gradient(0.6, m_n, 0.3, 4.0) == pytest.approx(numeric, abs=1e-6)


@pytest.mark.parametrize("phi", [-3.0, 0.0, 2.0])
@pytest.mark.parametrize("delta", [2.0, 4.0])
def test_replay_in_the_data(phi, delta):
    grid, log_data = line(delta), log_mixture(line(delta).x, logit(0.2), 0.0, delta)

    def loss(t):
        return -float(grid.density(log_mixture(grid.x, t[0], 0.0, delta), log_data))

    assert replay.data_gradient(phi, 0.2, delta) == pytest.approx(differences(loss, [phi])[0], abs=1e-6)


@pytest.mark.parametrize("phi", [-3.0, 0.0, 2.0])
@pytest.mark.parametrize("delta", [2.0, 4.0])
def test_replay_in_the_model(phi, delta):
    numeric = differences(lambda t: replay.model_loss(t[0], 0.2, delta), [phi])[0]
    assert replay.model_gradient(phi, 0.2, delta) == pytest.approx(numeric, abs=1e-6)


@pytest.mark.parametrize("rho", [0.0, 0.3])
@pytest.mark.parametrize("phi", [-2.0, 0.5])
def test_entropic_utility_of_separated_modes(rho, phi):
    phi0, anchor = 0.3, 0.7

    def utility(t):
        beta, b0 = expit(t[0]), expit(phi0)
        kl = beta * np.log(beta / b0) + (1 - beta) * np.log((1 - beta) / (1 - b0))
        return float(np.log(rho * beta + 1 - beta) - anchor * kl)

    assert ttt.weight_gradient(phi, rho, anchor, phi0) == pytest.approx(differences(utility, [phi])[0], abs=1e-6)


@pytest.mark.parametrize(("phi", "m_o", "m_n", "delta"), POINTS)
def test_entropic_utility(phi, m_o, m_n, delta):
    theta, start, grid = np.array([phi, m_o, m_n]), reverse.target(0.4, delta), line(delta)
    numeric = differences(lambda t: ttt.utility(t, start, 1.3, 0.5, delta, grid), theta)
    np.testing.assert_allclose(ttt.gradient(theta, start, 1.3, 0.5, delta, grid), numeric, atol=1e-6)


def test_separated_and_exact_utility_agree_far_apart():
    delta, eta, anchor = 9.0, 2.0, 0.5
    start, grid = reverse.target(0.4, delta), line(delta)
    theta = np.array([0.2, 0.0, delta])
    separated = ttt.weight_gradient(0.2, ttt.odds(eta, delta), anchor, start[0])
    assert ttt.gradient(theta, start, eta, anchor, delta, grid)[0] == pytest.approx(separated, abs=1e-4)


@pytest.mark.parametrize(("phi", "m_o", "m_n", "delta"), POINTS)
def test_squared_log_ratio(phi, m_o, m_n, delta):
    theta, start, grid = np.array([phi, m_o, m_n]), reverse.target(0.4, delta), line(delta)
    numeric = differences(lambda t: oapl.loss(t, start, 0.8, 1.5, delta, grid), theta)
    np.testing.assert_allclose(oapl.gradient(theta, start, 0.8, 1.5, delta, grid), numeric, atol=1e-6)


@pytest.mark.parametrize("delta", [3.0, 5.0])
def test_old_mean_under_oapl_at_its_reference(delta):
    start, grid = reverse.target(0.4, delta), line(delta)
    whole = oapl.gradient(start, start, 0.8, 1.5, delta, grid)[1]
    assert oapl.old_mean_gradient(0.4, 0.8, 1.5, delta) != 0
    # the formula moves p_o alone; the whole gradient also sees new samples that look old
    owned = 2 * 1.5 * -oapl.advantage(start, 0.8, 1.5, delta, grid) * 0.4
    assert oapl.old_mean_gradient(0.4, 0.8, 1.5, delta) == pytest.approx(grid.normal(owned * grid.x, 0.0), abs=1e-9)
    assert whole == pytest.approx(oapl.old_mean_gradient(0.4, 0.8, 1.5, delta), rel=0.6)


@pytest.mark.parametrize("name", divergences.DIVERGENCES)
@pytest.mark.parametrize(("phi", "m_o", "m_n", "delta"), POINTS[:2])
def test_f_divergences(name, phi, m_o, m_n, delta):
    # away from the target χ² and forward KL grow like e^{(m−μ)²}: keep the means near theirs
    theta = np.array([phi, 0.3 * m_o, delta + 0.3 * (m_n - delta)])
    goal, grid = reverse.target(0.4, delta), line(delta)
    numeric = differences(lambda t: divergences.loss(name, t, goal, grid), theta)
    np.testing.assert_allclose(divergences.gradient(name, theta, goal, grid), numeric, atol=1e-6)


def test_reverse_kl_among_the_divergences_is_reverse_kl():
    theta, goal, grid = np.array([0.4, 0.2, 3.1]), reverse.target(0.3, 3.0), line(3.0)
    np.testing.assert_allclose(
        divergences.gradient("reverse KL", theta, goal, grid), reverse.gradient(theta, goal, grid), atol=1e-12
    )


def test_three_components():
    means, goal_means = np.array([0.2, 3.0, -4.5]), np.array([0.0, 3.2, -4.0])
    logits, goal = np.array([0.1, -0.4, 0.8]), np.log([0.3, 0.4, 0.3])
    wide = line(12.0)
    grid = wide._replace(x=wide.x - 6.0)

    def loss(t):
        return components.loss(t[:3], t[3:], goal, goal_means, grid)

    numeric = differences(loss, np.concatenate([logits, means]))
    found = np.concatenate(components.gradient(logits, means, goal, goal_means, grid))
    np.testing.assert_allclose(found, numeric, atol=1e-6)


def test_two_of_k_components_are_the_mixture():
    theta, goal, grid = np.array([0.4, 0.2, 3.1]), reverse.target(0.3, 3.0), line(3.0)
    z, m = components.gradient(np.array([0.4, 0.0]), theta[1:], np.array([goal[0], 0.0]), goal[1:], grid)
    np.testing.assert_allclose([z[0], *m], reverse.gradient(theta, goal, grid), atol=1e-12)


def test_scores_of_the_toy():
    theta, x = np.array([0.6, -3.2, 1.1, 0.7, 0.8]), np.array([-3.0, -1.0, 0.5, 2.0])

    def log_q(t):
        w, m_o, s_o, m_n, s_n = t
        return np.log(w * chen._density(x, m_o, s_o) + (1 - w) * chen._density(x, m_n, s_n))

    numeric = np.array([(log_q(theta + h) - log_q(theta - h)) / 2e-6 for h in 1e-6 * np.eye(5)])
    found, _ = chen._scores(x[None], theta[:, None])
    np.testing.assert_allclose(found[:, 0], numeric, atol=1e-6)

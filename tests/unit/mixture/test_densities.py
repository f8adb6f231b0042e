"""Identities of the densities, and the sentences that refuse what the theory does not cover."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from forgetting.mixture import densities, forward, leakage, replay, reverse, sdft, ttt
from forgetting.mixture.components import flow as component_flow
from forgetting.mixture.densities import logit

THETA = (0.7, -0.3, 3.1)


def test_log_mixture_is_the_log_of_the_mixture():
    x = np.linspace(-5, 8, 101)
    beta = 1 / (1 + np.exp(-0.7))
    expected = beta * norm.pdf(x, -0.3) + (1 - beta) * norm.pdf(x, 3.1)
    np.testing.assert_allclose(np.exp(densities.log_mixture(x, *THETA)), expected, rtol=1e-13)


def test_responsibility_is_the_posterior_of_the_old_component():
    x = np.linspace(-5, 8, 101)
    beta = 1 / (1 + np.exp(-0.7))
    posterior = beta * norm.pdf(x, -0.3) / np.exp(densities.log_mixture(x, *THETA))
    np.testing.assert_allclose(densities.responsibility(x, *THETA), posterior, rtol=1e-12)


def test_log_odds_keep_their_digits_where_both_densities_underflow():
    assert densities.log_odds(np.array([1000.0]), 0.0, 0.0, 4.0)[0] == pytest.approx(-4 * 998)


def test_score_is_the_derivative_of_the_log_density():
    x, h = np.linspace(-5, 8, 41), 1e-5
    numeric = (densities.log_mixture(x + h, *THETA) - densities.log_mixture(x - h, *THETA)) / (2 * h)
    np.testing.assert_allclose(densities.score(x, *THETA), numeric, atol=1e-8)


def test_separation_whitens():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((3, 3))
    covariance, gap = root @ root.T + np.eye(3), rng.standard_normal(3)
    delta = densities.separation(np.ones(3), 1 + gap, covariance)
    # in any dimension the density ratio at the new mean is e^{δ²/2}
    ratio = multivariate_normal.logpdf(gap, gap, covariance) - multivariate_normal.logpdf(gap, np.zeros(3), covariance)
    assert delta**2 / 2 == pytest.approx(ratio)


def test_samples_have_the_mixtures_weight_and_mean():
    x, old = densities.sample(np.random.default_rng(1), 200_000, np.array([0.7]), -0.3, 3.1)
    beta = 1 / (1 + np.exp(-0.7))
    assert old.mean() == pytest.approx(beta, abs=4 * np.sqrt(beta * (1 - beta) / 200_000))
    assert x.mean() == pytest.approx(beta * -0.3 + (1 - beta) * 3.1, abs=0.02)


@pytest.mark.parametrize(
    "call",
    [
        lambda: densities.separation([0.0, 0.0], [1.0]),
        lambda: densities.separation([0.0, 0.0], [1.0, 1.0], np.eye(3)),
        lambda: densities.separation([1.0], [1.0]),
        lambda: leakage.leakage(0.5, 0.0),
        lambda: leakage.leakage(0.5, -1.0),
        lambda: leakage.leakage(1.0, 2.0),
        lambda: leakage.bound(0.0, 2.0),
        lambda: forward.weight(np.array([1.0]), 0.0, 2.0),
        lambda: forward.weight(np.array([1.0]), 0.5, np.nan),
        lambda: forward.recursion(np.array([1]), 0.1, 0.5, np.array([2.0, -2.0])),
        lambda: reverse.target(1.0, 2.0),
        lambda: reverse.hitting_time(0.1, 0.5, 0.3),
        lambda: replay.data_rate(-0.1, 2.0),
        lambda: replay.variance_ratio(0.05, 1.2, 0.3, 4.0, 4.0),
        lambda: sdft.weights(np.array([1.0]), 0.5, 1.5, 0.3, 0.1, 0.1),
        lambda: ttt.resting_weight(0.5, 0.0, 0.0),
        lambda: ttt.critical_anchor(0.6, 0.5, 0.0),
        lambda: component_flow(np.array([1.0]), np.ones(2) / 2, np.ones(3) / 3, np.zeros(3)),
    ],
)
def test_what_the_theory_does_not_cover_is_refused_in_one_sentence(call):
    with pytest.raises(ValueError, match=r"^[A-Z][^\n]*\.$"):
        call()


def test_logit_and_expit_are_inverse():
    assert densities.expit(logit(0.3)) == pytest.approx(0.3)

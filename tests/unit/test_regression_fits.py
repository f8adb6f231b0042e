"""Fits: identities and closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from forgetting.fits import (
    coefficients_of,
    cross_products,
    inside,
    isotonic_r2,
    quadratic,
    r2,
    r2_of,
    spearman,
    summed,
    vertex,
)

few = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def sample(seed, n=40):
    rng = np.random.default_rng(seed)
    x = rng.exponential(size=n)
    return x, 1 - np.exp(-x) + 0.2 * rng.normal(size=n)


def textbook_r2(x, y):
    design = np.vander(x, 3)
    residual = y - design @ np.linalg.lstsq(design, y)[0]
    return 1 - residual @ residual / ((y - y.mean()) @ (y - y.mean()))


@few
@given(seeds)
def test_r2_is_that_of_the_textbook(seed):
    assert_allclose(r2(*sample(seed)), textbook_r2(*sample(seed)), atol=1e-10)


@few
@given(seeds, st.floats(1e-6, 1e6), st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_r2_ignores_units_and_origins(seed, a, b, c, d):
    x, y = sample(seed)
    assert_allclose(r2(a * (x + b), c * y + d), r2(x, y), atol=1e-6)


@few
@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3))
def test_a_quadratic_is_recovered(coef):
    x = np.linspace(0, 14, 30)
    y = np.polynomial.Polynomial(coef)(x)
    assert_allclose(quadratic(x, y).coef, coef, atol=1e-9)
    if np.std(y) > 1e-6:
        assert_allclose(r2(x, y), 1, atol=1e-9)


def test_r2_has_its_closed_form():
    """y = cube on five symmetric points: the best quadratic is 17x/5, R² = (34²/10)/130 = 0.8892."""
    x = np.arange(-2.0, 3)
    assert_allclose(quadratic(x, x**3).coef, [0, 3.4, 0], atol=1e-12)
    assert_allclose(r2(x, x**3), 34**2 / 10 / 130)


@few
@given(seeds)
def test_cross_products_add_over_groups(seed):
    x, y = sample(seed)
    group = np.random.default_rng(seed).integers(0, 4, len(x))
    parts = cross_products(x, y, group)
    assert_allclose(parts.sum(axis=0), cross_products(x, y)[0], atol=1e-9)
    subset = group < 2
    if subset.sum() > 4:
        assert_allclose(r2_of(parts[:2].sum(axis=0)), textbook_r2(x[subset], y[subset]), atol=1e-9)


@few
@given(seeds)
def test_coefficients_of_sums_predict_as_the_fit_does(seed):
    x, y = sample(seed)
    sums = cross_products(x, y)[0]
    residual = sums[3, 3] - coefficients_of(sums) @ sums[:3, 3]
    assert_allclose(residual, ((y - quadratic(x, y)(x)) ** 2).sum(), atol=1e-9)


def test_r2_of_works_over_leading_axes():
    sums = np.stack([[cross_products(*sample(3 * i + j))[0] for j in range(3)] for i in range(2)])
    assert r2_of(sums).shape == (2, 3)
    assert r2_of(sums)[1, 2] == r2_of(sums[1, 2])


def test_r2_of_sums_that_span_less_than_a_quadratic_is_that_of_what_they_span():
    x, y = np.array([0.0, 1, 2, 0, 0, 1, 1]), np.array([0.0, 1, 5, 1, 2, 3, 4])
    line = cross_products(x, y, np.array([1, 1, 1, 0, 0, 0, 0]))[0]  # x takes two values there
    y = y[3:]
    assert_allclose(r2_of(line), 1 - 1 / ((y - y.mean()) ** 2).sum())


def test_r2_of_constant_forgetting_is_undefined():
    with pytest.raises(ValueError, match="all equal"):
        r2(np.arange(5.0), np.full(5, 0.3))


@pytest.mark.parametrize("x", [np.zeros(5), np.array([0.0, 1, 0, 1, 0])])
def test_a_predictor_with_too_few_values_is_an_error(x):
    with pytest.raises(ValueError, match="distinct values on 5 points"):
        quadratic(x, np.arange(5.0))


def test_a_predictor_that_is_not_finite_is_an_error():
    with pytest.raises(ValueError, match="not finite on 1 of 4"):
        r2(np.array([0, 1, np.inf, 3]), np.arange(4.0))


@few
@given(seeds)
def test_monotone_measures_see_only_order(seed):
    x, y = sample(seed)
    assert_allclose(isotonic_r2(np.exp(x), y), isotonic_r2(x, y))
    assert_allclose(spearman(np.exp(x), y), spearman(x, y))
    assert_allclose(isotonic_r2(x, x**3), 1)
    assert spearman(x, -x) == pytest.approx(-1)
    assert isotonic_r2(x, -(x**3)) == pytest.approx(1)  # a predictor that falls as forgetting rises


def test_vertex_inside_the_data_is_seen():
    x = np.linspace(0, 10, 20)
    assert vertex(x, x * (18 - x)) == pytest.approx(9) and inside(9, x)
    assert vertex(x, x * (22 - x)) == pytest.approx(11) and not inside(11, x)
    assert not inside(vertex(x, x), x)


def test_summed_by_group():
    assert summed(np.array([1.0, 2, 4]), np.array([1, 0, 1])).tolist() == [2, 5]

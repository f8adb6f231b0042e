"""Predictive R² and residuals against loops that refit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from forgetting.fits import quadratic
from forgetting.predictive import held_out_table, residual_table
from tests.unit.simulated_points import METHODS, make_points

COLUMN = "forward_kl_new"


@pytest.fixture(scope="module")
def points():
    return make_points()


def residuals(train, test):
    x, y = train[[COLUMN, "forgetting"]].to_numpy().T
    return test["forgetting"] - quadratic(x, y)(test[COLUMN].to_numpy())


@pytest.mark.parametrize("by", ["method", "base_seed"])
def test_held_out_r2_is_that_of_a_refit(points, by):
    table = held_out_table(points, [COLUMN]).query("points == 'all' and held_out == @by").set_index("group")
    errors = 0
    for group, test in points.groupby(by):
        error = residuals(points[points[by] != group], test)
        errors += (error**2).sum()
        expected = 1 - (error**2).sum() / ((test["forgetting"] - test["forgetting"].mean()) ** 2).sum()
        assert_allclose(table.loc[str(group), "r2"], expected, atol=1e-8)
        assert table.loc[str(group), "n"] == len(test)
    assert_allclose(table.loc["(all)", "r2"], 1 - errors / points["forgetting"].var(ddof=0) / len(points))


def test_held_out_r2_is_below_the_in_sample_one_and_may_be_negative(points):
    odd = points.assign(forgetting=points["forgetting"] + 0.5 * (points["method"] == "oracle"))
    table = held_out_table(odd, [COLUMN]).query("points == 'all' and held_out == 'method'").set_index("group")
    assert table.loc["oracle", "r2"] < 0


def test_a_universal_quadratic_is_predicted_perfectly(points):
    lawful = points.assign(forgetting=0.3 * points[COLUMN] - 0.01 * points[COLUMN] ** 2)
    assert_allclose(held_out_table(lawful, [COLUMN])["r2"], 1, atol=1e-8)
    assert_allclose(residual_table(lawful, [COLUMN])[["residual", "low", "high"]], 0, atol=1e-9)


def test_one_group_cannot_be_held_out(points):
    table = held_out_table(points[points["base_seed"] == 0], [COLUMN])
    assert table.query("held_out == 'base_seed'")["r2"].isna().all()


def test_residuals_are_those_of_the_fit(points):
    table = residual_table(points, [COLUMN]).query("points == 'all'").set_index("method")
    assert_allclose(table["residual"], residuals(points, points).groupby(points["method"]).mean(), atol=1e-10)
    assert_allclose((table["residual"] * table["n"]).sum(), 0, atol=1e-9)
    assert list(table.index) == list(METHODS)


def test_residual_intervals_are_a_jackknife_of_refits(points):
    table = residual_table(points, [COLUMN]).query("points == 'all'").set_index("method")
    kept = [points[points["base_seed"] != s] for s in range(4)]
    left_out = np.array([residuals(p, p).groupby(p["method"]).mean() for p in kept])
    centre = 4 * table["residual"] - 3 * left_out.mean(axis=0)
    assert_allclose((table["low"] + table["high"]) / 2, centre, atol=1e-9)


def test_a_method_missing_from_one_seed_is_still_found(points):
    some = points[~(points["method"].eq("sft_1") & points["base_seed"].eq(3))]
    table = residual_table(some, [COLUMN]).query("points == 'all'").set_index("method")
    assert_allclose(table["residual"], residuals(some, some).groupby(some["method"]).mean(), atol=1e-10)
    assert np.isfinite(table["low"]).all()


def test_one_base_seed_has_residuals_without_interval(points):
    table = residual_table(points[points["base_seed"] == 0], [COLUMN])
    assert table[["low", "high"]].isna().all(axis=None)
    assert table["residual"].notna().all()

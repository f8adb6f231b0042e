"""States of checks, verdicts of claims, and the headline that no better case may hide."""

import numpy as np
import pandas as pd
import pytest

from forgetting.results import (
    Estimate,
    check,
    exact,
    label,
    over_seeds,
    seed_curve,
    slope_over_seeds,
)
from forgetting.verdicts import verdict, verdicts


@pytest.mark.parametrize(
    ("rule", "value", "error", "tolerance", "state"),
    [
        ("3 SE", 1.29, 0.1, 0, "holds"),
        ("3 SE", 1.31, 0.1, 0, "fails"),
        ("3 SE", 1.0 + 1e-12, 0.0, 0, "holds"),
        ("3 SE", 1.1, 0.0, 0, "fails"),
        ("below", 0.7, 0.1, 0, "holds"),
        ("below", 0.9, 0.1, 0, "crosses"),
        ("below", 1.1, 0.1, 0, "fails"),
        ("above", 1.3, 0.1, 0, "holds"),
        ("above", 1.1, 0.1, 0, "crosses"),
        ("above", 0.9, 0.1, 0, "fails"),
        ("inside", 1.02, 0.01, 0.05, "holds"),
        ("inside", 1.04, 0.01, 0.05, "crosses"),
        ("inside", 1.09, 0.01, 0.05, "fails"),
        ("meets", 1.06, 0.01, 0.05, "holds"),
        ("meets", 1.06, 0.1, 0.05, "inconclusive"),
        ("meets", 1.2, 0.01, 0.05, "fails"),
        ("above", np.nan, np.nan, 0, "not reached"),
    ],
)
def test_states(rule, value, error, tolerance, state):
    row = check("M1", "q", 1.0, Estimate(value, error, 1000), rule, tolerance=tolerance)
    assert row["state"] == state
    assert row["agrees"] == (state == "holds")


@pytest.mark.parametrize(
    ("states", "word"),
    [
        ([], "not tested"),
        (["holds", "holds"], "reproduced"),
        (["holds", "crosses"], "partly"),
        (["crosses", "inconclusive"], "inconclusive"),
        (["inconclusive", "fails"], "not reproduced"),
        (["fails", "not reached"], "not reached"),
    ],
)
def test_verdict_takes_the_worst(states, word):
    assert verdict(states) == word


def test_an_unknown_state_is_an_error():
    with pytest.raises(ValueError, match="Unknown state 'perhaps'"):
        verdict(["holds", "perhaps"])


def test_beside_rows_are_not_judged_and_the_worst_headline_is_shown():
    rows = [
        check("M4", "final", 0.2, Estimate(0.201, 0.001, 50), "meets", tolerance=0.005, role="headline", l=0.2),
        check("M4", "final", 0.4, Estimate(0.396, 0.001, 50), "meets", tolerance=0.005, role="headline", l=0.4),
        check("M4", "other", 0.0, exact(9.0), "inside", tolerance=0.1, role="beside"),
    ]
    table = verdicts(pd.DataFrame(rows), ["M5", "M4"]).set_index("id")
    assert list(table.index) == ["M5", "M4"]
    assert table.loc["M4", "verdict"] == "reproduced"
    assert (table.loc["M4", "parameters"], table.loc["M4", "ours"]) == ("l=0.4", 0.396)
    assert table.loc["M4", "parts"] == "2 of 2"
    assert table.loc["M5", "verdict"] == "not tested"


def test_the_headline_of_a_bound_is_the_row_nearest_to_it():
    rows = [
        check("M3", "beta", 0.01, Estimate(v, 1e-5, 50), "below", role="headline", at=v) for v in (0.001, 0.008, 0.002)
    ]
    assert verdicts(pd.DataFrame(rows), ["M3"]).set_index("id").loc["M3", "ours"] == 0.008


def test_estimates():
    values = np.random.default_rng(0).standard_normal(400)
    e = over_seeds(values)
    low, high = e.interval()
    assert (low + high) / 2 == pytest.approx(values.mean())
    assert high - low == pytest.approx(2 * 1.966 * values.std(ddof=1) / 20, rel=1e-3)
    assert over_seeds(np.array([])).n == 0


def test_slope_and_its_error():
    x, rng = np.array([1.0, 2.0, 4.0, 7.0]), np.random.default_rng(1)
    noisy = 3 - 0.5 * x + 0.1 * rng.standard_normal((20_000, 4))
    slopes = [slope_over_seeds(x, y, np.full(4, 0.1), 9).value for y in noisy[:2000]]
    e = slope_over_seeds(x, 3 - 0.5 * x, np.full(4, 0.1), 9)
    assert e.value == pytest.approx(-0.5)
    assert np.std(slopes) == pytest.approx(e.standard_error, rel=0.06)


def test_labels_and_bands():
    assert label({"delta": 4.0, "lambda_": 0.05, "f": "KL"}) == "delta=4 lambda=0.05 f=KL"
    frame = seed_curve("beta", [1.0], np.array([[0.1, 0.3]]), delta=2)
    assert frame.loc[0, "value"] == pytest.approx(0.2)
    assert frame.loc[0, "high"] - frame.loc[0, "low"] == pytest.approx(2 * 1.96 * 0.1)


def test_claim_without_a_headline_shows_its_hardest_measure():
    rows = [check("A9", q, 1.0, Estimate(v, 0.01, 9), "above", role="measure") for q, v in (("a", 3.0), ("b", 1.2))]
    shown = verdicts(pd.DataFrame(rows), ["A9"]).loc[0]
    assert (shown["statistic"], shown["ours"], shown["parts"]) == ("b", 1.2, "2 of 2")

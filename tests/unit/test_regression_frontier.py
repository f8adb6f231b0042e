"""Selections of points, matched accuracy, completeness."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from forgetting.completeness import check_complete
from forgetting.frontier import pareto, select
from forgetting.matched import accuracy_at, matched_accuracy, matched_difference, matched_table
from tests.unit.simulated_points import METHODS, make_points

few = settings(max_examples=40, deadline=None)
pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30)


@pytest.fixture
def points():
    return make_points()


@few
@given(pairs)
def test_pareto_is_what_a_loop_over_all_pairs_finds(drawn):
    a, b = np.array(drawn, dtype=float).T
    beaten = [((a >= a[i]) & (b >= b[i]) & ((a > a[i]) | (b > b[i]))).any() for i in range(len(a))]
    assert (pareto(a, b) == ~np.array(beaten)).all()


@few
@given(pairs)
def test_the_frontier_of_a_frontier_is_itself(drawn):
    a, b = np.array(drawn, dtype=float).T
    kept = pareto(a, b)
    assert pareto(a[kept], b[kept]).all()


def test_a_seeds_frontier_does_not_depend_on_other_seeds(points):
    alone = select(points[points["base_seed"] == 1], "frontier")
    among = select(points, "frontier").query("base_seed == 1").reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, among)
    assert set(among["method"]) == set(METHODS)


def test_final_is_the_last_checkpoint_of_each_training(points):
    final = select(points, "final")
    assert final["training"].is_unique
    assert len(final) == points["training"].nunique()
    assert (final["checkpoint"] == 4).all()


def test_diverged_points_do_not_compete_for_the_frontier(points):
    best = select(points, "frontier").iloc[0]
    row = (points["training"] == best["training"]) & (points["checkpoint"] == best["checkpoint"])
    points.loc[row, "diverged"] = True
    left = select(points, "frontier")[["training", "checkpoint"]].apply(tuple, axis=1)
    assert (best["training"], best["checkpoint"]) not in set(left)
    assert len(select(points, "all")) == len(points) - 1
    assert len(select(points, "all", keep_diverged=True)) == len(points)
    points.loc[row, "forgetting"] = np.inf
    assert len(select(points, "all", keep_diverged=True)) == len(points) - 1


def test_an_accuracy_that_is_missing_unmarked_is_an_error(points):
    points.loc[7, "parity_accuracy"] = np.nan
    with pytest.raises(ValueError, match=f"training {points.loc[7, 'training']} has no finite accuracy"):
        select(points, "frontier")


def test_unknown_or_empty_selections_are_errors(points):
    with pytest.raises(ValueError, match=r"'last': use one of all, frontier, final"):
        select(points, "last")
    with pytest.raises(ValueError, match="did every training diverge"):
        select(points.assign(diverged=True), "final")


PARITY, FASHION = np.array([0.97, 0.95, 0.93]), np.array([0.5, 0.6, 0.7])


@pytest.mark.parametrize(
    "target, value, status",
    [
        (0.96, 0.55, "interpolated"),
        (0.97, 0.5, "interpolated"),
        (0.93, 0.7, "interpolated"),
        (0.9, 0.7, "exceeded"),
        (0.98, np.nan, "not reached"),
    ],
)
def test_accuracy_at_a_target(target, value, status):
    found, how = accuracy_at(PARITY, FASHION, target)
    assert how == status
    assert_allclose(found, value)


@few
@given(pairs, st.floats(-1, 7))
def test_matched_accuracy_never_leaves_what_was_measured(drawn, target):
    a, b = np.array(drawn, dtype=float).T
    kept = pareto(a, b)
    value, status = accuracy_at(a[kept], b[kept], target)
    assert (status == "not reached") == (a.max() < target)
    if status != "not reached":
        assert b.min() <= value <= b.max()
        assert_allclose(accuracy_at(np.tile(a[kept], 10), np.tile(b[kept], 10), target)[0], value)


def test_matched_table_means_what_every_seed_reached(points):
    low = points["method"].eq("grpo") & points["base_seed"].eq(2)
    points.loc[low, "parity_accuracy"] -= 0.04
    oracle = points["method"] == "oracle"
    points.loc[oracle, "parity_accuracy"] -= 0.1
    matched = matched_accuracy(points, [0.95])
    table = matched_table(matched).set_index("method")
    assert table["status"].to_dict() == {
        "grpo": "reached by some",
        "oracle": "not reached",
        "sft_1": "reached",
    }
    assert table["reached"].to_dict() == {"grpo": 3, "oracle": 0, "sft_1": 4}
    assert table["fashion_accuracy"].isna().to_dict() == {"grpo": True, "oracle": True, "sft_1": False}
    assert table.loc["sft_1", "low"] < table.loc["sft_1", "fashion_accuracy"] < table.loc["sft_1", "high"]
    assert np.isnan(matched_difference(matched, "sft_1", "grpo", 0.95)).all()


def test_a_method_that_only_diverged_has_reached_nothing(points):
    points["diverged"] = points["method"] == "oracle"
    matched = matched_accuracy(points, [0.94])
    assert set(matched.loc[matched["method"] == "oracle", "status"]) == {"not reached"}


def test_differences_are_paired_by_seed(points):
    """A shift common to both methods of a seed leaves the difference and its interval alone."""
    shift = points["base_seed"].map({0: 0.0, 1: 0.2, 2: -0.1, 3: 0.05})
    before, after = (
        matched_difference(matched_accuracy(p, [0.95]), "sft_1", "grpo", 0.95)
        for p in (points, points.assign(fashion_accuracy=points["fashion_accuracy"] + shift))
    )
    assert_allclose(before, after)
    swapped = matched_difference(matched_accuracy(points, [0.95]), "grpo", "sft_1", 0.95)
    assert_allclose(swapped, -np.array(before)[[0, 2, 1]])
    with pytest.raises(ValueError, match="for ewc"):
        matched_difference(matched_accuracy(points, [0.95]), "ewc", "sft_1", 0.95)


def test_complete_points_pass(points):
    check_complete(points, points["training"].unique(), 4)


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda p: p[p["training"] != "grpo-1-0"], "lack 1 of 60 trainings: grpo-1-0"),
        (lambda p: p.replace({"training": {"grpo-1-0": "odd"}}), "lack 1 of 60 trainings: grpo-1-0"),
        (
            lambda p: pd.concat([p, p.assign(training="odd")]),
            "hold 1 trainings that the config does not ask for: odd",
        ),
        (lambda p: p.drop(index=5), r"checkpoints 1\.\.4: grpo-0-1"),
        (lambda p: pd.concat([p, p.iloc[[5]]]), r"checkpoints 1\.\.4: grpo-0-1"),
        (
            lambda p: p.assign(forgetting=p["forgetting"].mask(p.index == 5)),
            "without forgetting .*: grpo-0-1",
        ),
    ],
)
def test_incomplete_points_are_an_error_that_names_them(points, spoil, message):
    with pytest.raises(ValueError, match=message):
        check_complete(spoil(points), points["training"].unique(), 4)

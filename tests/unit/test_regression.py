"""The table of R²: what must not change it, and what it must not hide."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from forgetting.fits import r2, r2_of
from forgetting.intervals import INTERVALS
from forgetting.regression import clusters, predictors, r2_differences, r2_table, select, split_name
from tests.unit.simulated_points import make_points

ESTIMATES = ["r2", "low", "high", "isotonic_r2", "spearman", "vertex_inside"]


def table(points, **options):
    return r2_table(points, np.random.default_rng(1), **options)


@pytest.fixture(scope="module")
def points():
    return make_points()


@pytest.fixture(scope="module")
def expected(points):
    return table(points)


def test_a_row_for_each_predictor_and_selection(points, expected):
    keys = expected[["predictor", "inputs", "points"]].drop_duplicates()
    assert len(keys) == len(expected) == 9
    assert set(zip(expected["predictor"], expected["inputs"], strict=True)) == {
        ("forward_kl", "new"),
        ("total_variation", "old"),
        ("weight_l1", "-"),
    }
    forward = expected.set_index(["predictor", "points"]).loc[("forward_kl", "all")]
    assert forward["r2"] == pytest.approx(r2(*points[["forward_kl_new", "forgetting"]].to_numpy().T))
    assert forward["low"] < forward["r2"] < forward["high"]


def test_predictors_are_the_columns_that_describe_nothing(points):
    assert predictors(points) == ["forward_kl_new", "total_variation_old", "weight_l1"]
    assert split_name("activation_l1_new") == ("activation_l1", "new")
    assert split_name("weight_l1") == ("weight_l1", "-")


def test_copies_of_points_change_no_estimate_and_no_interval(points, expected):
    tenfold = table(pd.concat([points] * 10))
    assert_allclose(tenfold[ESTIMATES].to_numpy(float), expected[ESTIMATES].to_numpy(float), atol=1e-9)
    assert (tenfold["n"] == 10 * expected["n"]).all()


def test_the_order_of_rows_changes_nothing(points, expected):
    pd.testing.assert_frame_equal(table(points.sample(frac=1, random_state=0)), expected)


def test_the_same_generator_gives_the_same_table(points, expected):
    pd.testing.assert_frame_equal(table(points), expected)


def test_cluster_sums_refit_as_points_do(points):
    """One resample by hand: seed 1 twice, seed 3 once, refitted from repeated rows."""
    resample = pd.concat([points[points["base_seed"] == s] for s in (1, 1, 3)])
    counts = np.array([0.0, 2, 0, 1])
    parts = clusters(points, "forward_kl_new")
    vectorised = r2_of(np.einsum("t,tij->ij", counts[parts.seed], parts.products))
    assert vectorised == pytest.approx(r2(*resample[["forward_kl_new", "forgetting"]].to_numpy().T), abs=1e-10)


def test_diverged_points_are_left_out_and_counted(points, expected):
    broken = points.copy()
    broken["forward_kl_new"] = broken["forward_kl_new"].astype(float)
    rows = np.flatnonzero(broken["training"] == broken["training"].iloc[0])[-2:]
    broken.loc[rows, "diverged"] = True
    broken.loc[rows, "forward_kl_new"] = [5e3, np.nan]
    result = table(broken).set_index(["predictor", "points"])
    without = table(points.drop(index=rows)).set_index(["predictor", "points"])
    assert result["n_diverged"].loc["forward_kl"].to_dict() == {"all": 2, "frontier": 2, "final": 1}
    assert result.loc[("forward_kl", "all"), "n"] == len(points) - 2
    assert result.loc[("forward_kl", "all"), "r2"] == without.loc[("forward_kl", "all"), "r2"]
    assert result.loc[("forward_kl", "all"), "r2_with_diverged"] < result.loc[("forward_kl", "all"), "r2"] - 0.1
    assert (
        result.loc[("forward_kl", "final"), "n"]
        == expected.set_index(["predictor", "points"]).loc[("forward_kl", "final"), "n"] - 1
    )


def test_a_point_that_is_not_finite_and_not_marked_is_an_error(points):
    broken = points.copy()
    broken.loc[3, "weight_l1"] = np.nan
    with pytest.raises(ValueError, match=r"weight_l1 or forgetting is not finite on 1 points .*grpo-0-0"):
        table(broken)


def test_a_constant_predictor_is_said_to_be_constant(points):
    result = table(points.assign(weight_l1=1.0), columns=["weight_l1"])
    assert result["r2"].isna().all()
    assert result["note"].str.contains("takes 1 distinct values").all()


def test_a_training_that_diverged_has_no_final_point(points):
    broken = points.copy()
    broken.loc[broken["training"].eq("grpo-0-0") & broken["checkpoint"].eq(4), "diverged"] = True
    final = select(broken, "final")
    assert "grpo-0-0" not in set(final["training"])
    assert (final["checkpoint"] == 4).all()
    assert len(final) == points["training"].nunique() - 1


def test_an_unknown_predictor_is_an_error(points):
    with pytest.raises(ValueError, match=r"no predictor entropy: they have forward_kl_new"):
        table(points, columns=["entropy"])


def test_an_unknown_interval_is_an_error(points):
    with pytest.raises(ValueError, match=r"unknown interval 'wild': use one of percentile, "):
        table(points, interval="wild")


def test_one_base_seed_has_an_interval_over_trainings_and_says_so(points):
    result = table(points[points["base_seed"] == 0], columns=["forward_kl_new"])
    assert (result["interval"] == "two-stage").all()
    assert (result["coverage"] < 0.93).all()
    assert (result["low"] < result["r2"]).all()


# BCa counts the resamples below the estimate: those that equal it but for rounding fall on either side
@pytest.mark.parametrize("interval", sorted(set(INTERVALS) - {"bca"}))
def test_copies_of_points_change_no_candidate(points, interval):
    once, tenfold = (
        table(p, columns=["forward_kl_new"], interval=interval) for p in (points, pd.concat([points] * 10))
    )
    assert_allclose(tenfold[ESTIMATES].to_numpy(float), once[ESTIMATES].to_numpy(float), atol=1e-9)


def test_differences_are_those_of_the_table_and_change_sign_with_the_order(points, expected):
    forth = r2_differences(points, "forward_kl_new", ["weight_l1"])
    back = r2_differences(points, "weight_l1", ["forward_kl_new"])
    value = expected.set_index(["points", "predictor"])["r2"].unstack()
    assert_allclose(
        forth.set_index("points")["difference"], (value["forward_kl"] - value["weight_l1"])[forth["points"]]
    )
    assert_allclose(forth[["difference", "low", "high"]], -back[["difference", "high", "low"]].to_numpy())


def test_a_predictor_and_its_copy_differ_by_nothing(points):
    result = r2_differences(points.assign(twin_new=points["forward_kl_new"]), "forward_kl_new", ["twin_new"])
    assert (result[["difference", "low", "high"]] == 0).all(axis=None)


def test_pairing_makes_differences_sharper_than_their_parts(points, expected):
    """Two predictors that share the seeds' luck differ by less than their intervals' widths suggest."""
    close = points.assign(near_new=points["forward_kl_new"] ** 0.95)
    difference = r2_differences(close, "forward_kl_new", ["near_new"]).iloc[0]
    own = expected.iloc[0]
    assert difference["high"] - difference["low"] < (own["high"] - own["low"]) / 2


def test_one_base_seed_has_no_interval_of_a_difference(points):
    result = r2_differences(points[points["base_seed"] == 0], "forward_kl_new")
    assert result[["low", "high"]].isna().all(axis=None)
    assert result["difference"].notna().all()


def test_a_predictor_of_the_end_alone_is_fitted_at_the_end_alone(points):
    """A dear predictor is empty before the last checkpoint; a hole elsewhere stays an error."""
    early = points["checkpoint"] < points["checkpoint"].max()
    dear = points.assign(rank=points["forward_kl_new"].mask(early))
    found = table(dear).set_index(["predictor", "points"])
    assert found.loc[("rank", "final"), "r2"] == found.loc[("forward_kl", "final"), "r2"]
    for which in ("all", "frontier"):
        assert np.isnan(found.loc[("rank", which), "r2"]) and "end of trainings" in found.loc[("rank", which), "note"]
    compared = r2_differences(dear, "forward_kl_new").groupby("points")["predictor"].agg(set)
    assert "rank" in compared["final"] and "rank" not in compared["all"] | compared["frontier"]
    with pytest.raises(ValueError, match="rank or forgetting is not finite"):
        table(points.assign(rank=points["forward_kl_new"].mask(points.index == 0)))


def test_a_frontier_without_a_last_checkpoint_has_no_predictor_of_the_end(points):
    """Where the best checkpoints of all trainings are the same early one, a dear predictor is empty on all of them."""
    early = points["checkpoint"] < points["checkpoint"].max()
    best = points["checkpoint"] == 0
    dear = points.assign(rank=points["forward_kl_new"].mask(early), parity_accuracy=best.astype(float))
    dear["fashion_accuracy"] = best.astype(float)
    found = table(dear).set_index(["predictor", "points"])
    assert "end of trainings" in found.loc[("rank", "frontier"), "note"]
    with pytest.raises(ValueError, match="rank or forgetting is not finite"):
        table(dear.assign(rank=np.nan))

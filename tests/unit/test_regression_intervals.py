"""Intervals: resamples by hand, the jackknife's identities, and what an interval may be called."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from forgetting import intervals
from forgetting.fits import cross_products, r2, r2_of
from forgetting.intervals import INTERVALS, Clusters, chosen, jackknife_ends, label, measured, training_counts

SEEDS, METHODS, TRAININGS, CHECKPOINTS = 4, 2, 5, 6


def sample(seed=0, between=0.1):
    rng = np.random.default_rng(seed)
    x = rng.exponential(size=(SEEDS, METHODS * TRAININGS, CHECKPOINTS))
    y = 1 - np.exp(-x) + between * rng.normal(size=(SEEDS, 1, 1)) + 0.1 * rng.normal(size=x.shape)
    return x.reshape(-1, CHECKPOINTS), y.reshape(-1, CHECKPOINTS)


def clustered(x, y):
    training = np.arange(len(x))
    cell = training // TRAININGS
    return Clusters(cross_products(x.ravel(), y.ravel(), np.repeat(training, x.shape[1])), cell // METHODS, cell)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_resample_of_sums_is_a_refit_of_repeated_points(seed):
    x, y = sample(seed)
    clusters = clustered(x, y)
    counts = training_counts(clusters.seed, clusters.cell, 3, np.random.default_rng(seed))
    sums = r2_of(np.tensordot(counts.astype(float), clusters.products, axes=1))
    naive = [r2(np.repeat(x, c, axis=0).ravel(), np.repeat(y, c, axis=0).ravel()) for c in counts]
    assert_allclose(sums, naive, atol=1e-9)


def test_trainings_are_drawn_within_the_cells_of_drawn_seeds():
    clusters = clustered(*sample())
    counts = training_counts(clusters.seed, clusters.cell, 200, np.random.default_rng(0))
    by_cell = counts.reshape(200, SEEDS, METHODS, TRAININGS).sum(axis=-1)
    assert (by_cell % TRAININGS == 0).all()
    assert (by_cell == by_cell[:, :, :1]).all()  # a seed is drawn with all its methods
    assert (by_cell.sum(axis=(1, 2)) == len(clusters.cell)).all()
    assert_allclose(counts.mean(axis=0), 1, atol=0.4)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-10, 10), min_size=2, max_size=8))
def test_the_jackknife_of_a_mean_is_students_interval(values):
    values = np.array(values)
    n = len(values)
    ends = jackknife_ends(values.mean(), (values.sum() - values) / (n - 1))
    student = stats.t.interval(0.95, n - 1, values.mean(), max(stats.sem(values), 1e-300))
    assert_allclose(ends, student, atol=1e-9)


def test_the_jackknife_removes_the_bias_of_a_variance():
    """The mean square deviation is biased by (n - 1)/n; the centre of the interval is not."""
    values = np.random.default_rng(0).normal(size=6)
    left_out = np.array([np.delete(values, i).var() for i in range(6)])
    assert_allclose(np.mean(jackknife_ends(values.var(), left_out)), values.var(ddof=1))


def test_the_bootstrap_of_seeds_is_that_of_their_points():
    """Against scipy's bootstrap with a statistic that refits the points of the drawn seeds."""
    x, y = (v.reshape(SEEDS, -1) for v in sample())
    refit = stats.bootstrap(
        (np.arange(SEEDS),),
        lambda drawn: r2(x[drawn].ravel(), y[drawn].ravel()),
        vectorized=False,
        n_resamples=intervals.RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    ours = INTERVALS["percentile"](clustered(*sample()), np.random.default_rng(3))
    assert_allclose(ours, refit, atol=1e-9)


@pytest.mark.parametrize("name", sorted(INTERVALS))
def test_an_interval_is_ordered_and_reproducible(name):
    clusters = clustered(*sample())
    low, high = INTERVALS[name](clusters, np.random.default_rng(5))
    assert 0 <= low < high <= 1
    assert INTERVALS[name](clusters, np.random.default_rng(5)) == (low, high)


@pytest.mark.parametrize("name", sorted(set(INTERVALS) - {"two-stage", "bootstrap-t"}))
def test_base_seeds_that_agree_leave_nothing_uncertain(name):
    """Four copies of one base seed: no spread between seeds, so no width, however noisy its points."""
    x, y = (np.tile(v[: METHODS * TRAININGS], (SEEDS, 1)) for v in sample())
    low, high = INTERVALS[name](clustered(x, y), np.random.default_rng(0))
    assert_allclose([low, high], r2(x.ravel(), y.ravel()), atol=1e-6)


def test_a_perfect_law_has_the_interval_one():
    x, _ = sample()
    assert_allclose(INTERVALS["jackknife"](clustered(x, 1 + x - x**2 / 9), np.random.default_rng(0)), 1)


def test_more_spread_between_seeds_makes_a_wider_interval():
    widths = [
        np.subtract(*INTERVALS["jackknife"](clustered(*sample(between=b)), np.random.default_rng(0))[::-1])
        for b in (0.02, 0.1, 0.3)
    ]
    assert widths == sorted(widths)


@pytest.fixture
def study(monkeypatch, tmp_path):
    path = tmp_path / "coverage.csv"
    path.write_text(
        "quantity,law,seeds,interval,coverage\n"
        "all,calm,2,jackknife,0.99\nall,calm,5,jackknife,0.96\nall,unruly,5,jackknife,0.91\n"
    )
    monkeypatch.setattr(intervals, "STUDY", path)
    intervals.coverage_study.cache_clear()
    yield
    intervals.coverage_study.cache_clear()


@pytest.mark.usefixtures("study")
def test_measured_coverage_is_the_lowest_near_by():
    assert measured("jackknife", "all", 5) == 0.91
    assert measured("jackknife", "all", 7) == 0.91
    assert measured("jackknife", "all", 4) == 0.91
    assert measured("jackknife", "all", 2) == 0.99
    assert np.isnan(measured("jackknife", "all", 1))
    assert np.isnan(measured("bca", "all", 5))


def test_only_shown_coverage_is_called_so():
    assert label(0.93) == "95 %"
    assert label(0.88) == "nominal 95 %, covered 88 %"
    assert label(np.nan) == "coverage unknown"


@pytest.mark.parametrize("quantity", ["all", "frontier", "final"])
@pytest.mark.parametrize("seeds", [2, 3, 4, 5])
def test_the_chosen_interval_was_shown_to_cover(quantity, seeds):
    assert label(measured(chosen(seeds), quantity, seeds)) == "95 %"


def test_it_was_not_shown_for_ten_seeds_of_heavy_tails_and_says_so():
    assert label(measured(chosen(10), "all", 10)) == "nominal 95 %, covered 88 %"
    study = intervals.coverage_study().query("seeds == 10 and interval == @chosen(10) and law != 'heavy'")
    assert study["coverage"].min() > 0.95


@pytest.mark.parametrize("seeds", [2, 3, 5, 10])
@pytest.mark.parametrize(
    "name, quantity", [("jackknife", "difference"), ("jackknife", "residual"), ("student", "matched")]
)
def test_the_other_intervals_were_studied_too(name, quantity, seeds):
    assert 0.8 < measured(name, quantity, seeds) <= 1


def test_the_percentile_bootstrap_was_shown_not_to_cover():
    assert label(measured("percentile", "all", 5)) != "95 %"


def test_one_training_a_method_of_one_base_has_no_interval():
    """Nothing can be resampled: an interval of no width would be a claim to certainty."""
    x, y = sample()
    one = clustered(x, y)
    first = np.unique(one.cell, return_index=True)[1]
    alone = [row for row in first if one.seed[row] == 0]
    few = Clusters(one.products[alone], one.seed[alone], one.cell[alone])
    assert np.isnan(INTERVALS["two-stage"](few, np.random.default_rng(0))).all()
    assert np.isfinite(INTERVALS["two-stage"](one, np.random.default_rng(0))).all()

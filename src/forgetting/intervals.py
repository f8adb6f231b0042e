"""Intervals for the R² of a law, from the cross-products of trainings that share base seeds.

Estimand: the R² of the pooled quadratic over an infinite population of base seeds, each trained on the same
grid of methods, learning rates, schedules and epochs: r2_of(E[M]), where M are the summed cross-products of
one base seed's whole grid. Base seeds are thus the independent units; the trainings of one seed share its
base model, and the checkpoints of one training share its path. The grid is fixed: its trainings are no
sample of anything.

The candidates are compared by `forgetting.coverage`; `chosen` is the one that its results support.
Percentile bootstraps see too few base seeds to cover, bootstrap-t sees nothing in two. The jackknife of
log(1 − R²) comes near its level, and is used at a higher one. Where base seeds have heavy tails, not even ten
of them do: the R² of all base seeds then hangs on rare ones that were not drawn.
"""

from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from forgetting.fits import Array, Codes, r2_of, summed

Counts = npt.NDArray[np.int64]
Ends = tuple[float, float]

LEVEL = 0.95
CALIBRATED = 0.99  # nominal level of the jackknife at which 5 base seeds cover 95 % in every law that was studied
SHOWN = 0.93  # measured coverage from which an interval is called 95 %
RESAMPLES = 1000
STUDY = Path(__file__).with_name("published") / "coverage.csv"
PERFECT = 1e-15  # smallest 1 − R² that is told from rounding


class Clusters(NamedTuple):
    """What an interval needs of the points: nothing larger than one small matrix a training."""

    products: Array  # (T, 4, 4) cross-products of each training, as fits.cross_products makes them
    seed: Codes  # (T,) code of its base seed, 0..S-1
    cell: Codes  # (T,) code of its method × base seed

    def by_seed(self) -> Array:
        """Cross-products of each base seed, (S, 4, 4)."""
        return summed(self.products, self.seed)


class Interval(Protocol):
    """A candidate: clusters and a generator in, the two ends out."""

    def __call__(self, clusters: Clusters, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ends:
        """Low and high; `resamples` is for those that resample."""


def jackknife_ends(whole: npt.ArrayLike, left_out: Array, level: float = LEVEL) -> tuple[Array, Array]:
    """Ends (...) of a t interval from a statistic of all seeds (...) and of all but each one, (S, ...).

    The jackknife's bias correction and variance (Efron and Tibshirani 1993, ch. 11), the variance taken
    about the statistic itself, which counts its bias as error. For a mean it is Student's interval. NaN with
    one seed.
    """
    n, change = len(left_out), left_out - np.asarray(whole)
    if n < 2:
        return np.full_like(left_out[0], np.nan), np.full_like(left_out[0], np.nan)
    centre = whole - (n - 1) * change.mean(axis=0)
    error = np.sqrt((n - 1) / n * (change**2).sum(axis=0))
    reach = stats.t.ppf((1 + level) / 2, n - 1) * error
    return centre - reach, centre + reach


def jackknife(clusters: Clusters, rng: np.random.Generator, resamples: int = RESAMPLES, level: float = LEVEL) -> Ends:
    """Jackknife over base seeds of log(1 − R²), where the noise of a variance has about constant size."""
    seeds = clusters.by_seed()
    ends = jackknife_ends(unexplained(seeds.sum(axis=0)), unexplained(seeds.sum(axis=0) - seeds), level)
    return explained(*ends)


def calibrated(clusters: Clusters, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ends:
    """The same jackknife at the nominal level that the coverage study found to cover 95 %."""
    return jackknife(clusters, rng, level=CALIBRATED)


def seedwise(clusters: Clusters, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ends:
    """Student's interval for the mean over base seeds of log(1 − R²) within each seed: another estimand."""
    values = unexplained(clusters.by_seed())
    return explained(*stats.t.interval(LEVEL, len(values) - 1, values.mean(), stats.sem(values)))


def unexplained(products: Array) -> Array:
    """The scale of the intervals: log(1 − R²) (...) of cross-products (..., 4, 4)."""
    return np.log(np.maximum(1 - r2_of(products), PERFECT))


def explained(low: npt.ArrayLike, high: npt.ArrayLike) -> Ends:
    """Back from log(1 − R²) to R², which is never below 0; the ends change places."""
    with np.errstate(over="ignore"):
        return max(0.0, float(-np.expm1(high))), float(-np.expm1(low))


def percentile(clusters: Clusters, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ends:
    """Percentile bootstrap over base seeds."""
    return seed_bootstrap(clusters, rng, resamples, "percentile")


def bca(clusters: Clusters, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ends:
    """Bias-corrected and accelerated bootstrap over base seeds."""
    return seed_bootstrap(clusters, rng, resamples, "BCa")


def seed_bootstrap(
    clusters: Clusters, rng: np.random.Generator, resamples: int, method: Literal["percentile", "BCa"]
) -> Ends:
    """One of scipy's bootstrap intervals, base seeds being drawn with their whole grids."""
    seeds = clusters.by_seed()

    def statistic(drawn: Codes, axis: int = -1) -> Array:
        return r2_of(seeds[drawn].sum(axis=-3))

    found = stats.bootstrap(
        (np.arange(len(seeds)),),
        statistic,
        n_resamples=resamples,
        method=method,
        confidence_level=LEVEL,
        rng=rng,
    ).confidence_interval
    return float(found.low), float(found.high)


def studentised(clusters: Clusters, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ends:
    """Bootstrap-t over base seeds of log(1 − R²), each resample's error by its own jackknife."""
    seeds = clusters.by_seed()
    n = len(seeds)

    def with_error(counts: Counts) -> tuple[Array, Array]:
        sums = np.tensordot(counts.astype(float), seeds, axes=1)
        left = unexplained(sums[:, None] - (counts > 0)[..., None, None] * seeds)
        spread = (counts * (left - (counts * left).sum(axis=1, keepdims=True) / n) ** 2).sum(axis=1)
        return unexplained(sums), np.sqrt((n - 1) / n * spread)

    values, errors = with_error(seed_counts(n, resamples, rng))
    [whole], [error] = with_error(np.ones((1, n), dtype=np.int64))
    varied = errors > PERFECT  # a resample of one seed only has no error of its own
    t = (values - whole)[varied] / errors[varied]
    low, high = np.quantile(t, [(1 + LEVEL) / 2, (1 - LEVEL) / 2])
    return explained(whole - low * error, whole - high * error)


def two_stage(clusters: Clusters, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ends:
    """Percentile bootstrap: base seeds, then trainings within method and seed; NaN where there is but one of each."""
    if clusters.seed.max() == 0 and len(clusters.cell) == len(np.unique(clusters.cell)):
        return np.nan, np.nan
    counts = training_counts(clusters.seed, clusters.cell, resamples, rng)
    values = r2_of(np.tensordot(counts.astype(float), clusters.products, axes=1))
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def seed_counts(n_seeds: int, resamples: int, rng: np.random.Generator) -> Counts:
    """How often each of S base seeds is drawn in each resample, (B, S): S draws with replacement."""
    return rng.multinomial(n_seeds, np.full(n_seeds, 1 / n_seeds), size=resamples)


def training_counts(seed: Codes, cell: Codes, resamples: int, rng: np.random.Generator) -> Counts:
    """How often each training is drawn in each resample, (B, T), given seed and cell codes (T,).

    Base seeds are drawn first; each copy of a seed then draws its own trainings, within each method.
    """
    drawn = seed_counts(seed.max() + 1, resamples, rng)
    counts = np.empty((resamples, len(seed)), dtype=np.int64)
    for members in (np.flatnonzero(cell == c) for c in np.unique(cell)):
        size = len(members)
        counts[:, members] = rng.multinomial(size * drawn[:, seed[members[0]]], np.full(size, 1 / size))
    return counts


INTERVALS: dict[str, Interval] = {
    "percentile": percentile,
    "two-stage": two_stage,
    "bca": bca,
    "bootstrap-t": studentised,
    "seedwise-t": seedwise,
    "jackknife": jackknife,
    "calibrated jackknife": calibrated,
}


def interval_named(name: str) -> Interval:
    """The candidate of that name; ValueError on another."""
    if name not in INTERVALS:
        raise ValueError(f"unknown interval {name!r}: use one of {', '.join(INTERVALS)}")
    return INTERVALS[name]


def chosen(n_seeds: int) -> str:
    """Name of the interval to use: of one base seed only the trainings can be resampled."""
    return "calibrated jackknife" if n_seeds > 1 else "two-stage"


def measured(interval: str, quantity: str, n_seeds: int) -> float:
    """Coverage of an interval in the study (published/coverage.csv), the lowest over laws and predictors.

    Between two numbers of base seeds that were studied, the lower of both; beyond the largest, that one's.
    NaN where nothing was studied.
    """
    study = coverage_study()
    study = study[(study["interval"] == interval) & (study["quantity"] == quantity)]
    lowest = study.groupby("seeds")["coverage"].min()
    near = [*lowest[lowest.index <= n_seeds].tail(1), *lowest[lowest.index >= n_seeds].head(1)]
    return float(min(near)) if n_seeds >= lowest.index.min() else np.nan


def label(coverage: float) -> str:
    """What an interval may be called: 95 % only where at least 93 % was measured."""
    if np.isnan(coverage):
        return "coverage unknown"
    return "95 %" if coverage >= SHOWN else f"nominal 95 %, covered {100 * coverage:.0f} %"


@cache
def coverage_study() -> pd.DataFrame:
    """The results of `forgetting.coverage`, as shipped."""
    return pd.read_csv(STUDY)

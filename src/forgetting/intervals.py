"""Intervals for the R² of a law, from the cross-products of trainings that share base seeds.

Estimand: the R² of the pooled quadratic over an infinite population of base seeds, each trained on the same
grid of methods, learning rates, schedules and epochs. Base seeds are thus the independent units; the
trainings of one seed share its base model, and the checkpoints of one training share its path.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from forgetting.fits import Array, Codes, r2_of

Counts = npt.NDArray[np.int64]


class Clusters(NamedTuple):
    """What an interval needs of the points: nothing larger than one small matrix a training."""

    products: Array  # (T, 4, 4) cross-products of each training, as fits.cross_products makes them
    seed: Codes  # (T,) code of its base seed, 0..S-1
    cell: Codes  # (T,) code of its method × base seed


Interval = Callable[[Clusters, np.random.Generator], tuple[float, float]]


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


def resampled(products: Array, counts: Counts) -> Array:
    """R² of each resample, (B,), from cross-products (T, 4, 4) and how often each is drawn, (B, T)."""
    return r2_of(np.tensordot(counts.astype(float), products, axes=1))


def percentile(values: Array, level: float) -> tuple[float, float]:
    """Percentile interval of bootstrap values (B,)."""
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap(
    clusters: Clusters, rng: np.random.Generator, level: float = 0.95, resamples: int = 1000
) -> tuple[float, float]:
    """Percentile interval of R²: base seeds resampled, then trainings within method and seed."""
    counts = training_counts(clusters.seed, clusters.cell, resamples, rng)
    return percentile(resampled(clusters.products, counts), level)

"""How often does an interval cover the truth? A study of all candidates on a simulated law.

Truth is the R² of the pooled quadratic over all simulated base seeds (10 times the number of data sets: its
own error is below a thirtieth of what any interval sees). A data set of S base seeds is the first S of its
ten.
"""

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
import numpy.typing as npt
import pandas as pd
from tqdm import tqdm

from forgetting.fits import Array, r2_of
from forgetting.frontier import SELECTIONS, Which, pareto
from forgetting.intervals import INTERVALS, Clusters, chosen, jackknife_ends
from forgetting.matched import accuracy_at, mean_interval
from forgetting.predictive import mean_residuals, residual_intervals
from forgetting.simulated_law import CHECKPOINTS, FARTHEST, LAWS, METHODS, TRAININGS, Simulated, simulate

SEEDS = (1, 2, 3, 5, 10)
MOST = max(SEEDS)
CELL = np.repeat(np.arange(MOST * METHODS), TRAININGS)
RESAMPLES = 200  # of the candidates that resample: there are 24,000 data sets to do it for
TARGET = 0.96  # parity accuracy at which fashion accuracy is compared
Row = dict[str, object]


def study(data_sets: int, rng: np.random.Generator, compare: bool = True) -> pd.DataFrame:
    """Coverage of each interval, on some data sets of each law.

    Columns: law, quantity (all | frontier | final: R² on those points; difference | residual | matched),
    predictor, seeds, interval, truth, coverage (share of data sets whose interval holds the truth), width
    (median), data_sets. All candidates are compared on all points with the good predictor, unless
    `compare` is false; elsewhere only the chosen one is tried.
    """
    rows: list[Row] = []
    for name, law in LAWS.items():
        sample = simulate(law, MOST * data_sets, rng)
        found = chain(
            r2_rows(sample, rng, compare), difference_rows(sample), residual_rows(sample), matched_rows(sample)
        )
        rows += [{"law": name} | row | {"data_sets": data_sets} for row in found]
    return pd.DataFrame(rows)


def r2_rows(sample: Simulated, rng: np.random.Generator, compare: bool) -> Iterator[Row]:
    """Coverage of R²: by predictor, selection of points, number of seeds, interval."""
    for which in SELECTIONS:
        mask = selected(sample, which)
        for predictor in ("distance", "proxy"):
            products = cross_products_of(sample, predictor, mask)
            truth = float(r2_of(products.sum(axis=(0, 1))))
            for n in SEEDS:
                for name in tried(which, predictor, n, compare):
                    data = data_sets_of(products, n, f"{which} {predictor} {name}")
                    ends = [INTERVALS[name](clusters, rng, RESAMPLES) for clusters in data]
                    row: Row = {"quantity": which, "predictor": predictor, "seeds": n, "interval": name}
                    yield row | covered(np.array(ends), truth)


def tried(which: Which, predictor: str, seeds: int, compare: bool) -> list[str]:
    """Names of the intervals to try: all where they are compared, elsewhere the chosen one."""
    compared = compare and which == "all" and predictor == "distance" and seeds > 1
    return list(INTERVALS) if compared else [chosen(seeds)]


def data_sets_of(products: Array, seeds: int, note: str) -> Iterator[Clusters]:
    """The clusters of each data set, from cross-products (data sets × MOST, trainings of a seed, 4, 4)."""
    cell = CELL[: seeds * METHODS * TRAININGS]
    data_sets = products.reshape(-1, MOST, *products.shape[1:])
    for data in tqdm(data_sets, f"{note}, {seeds} seeds", mininterval=10):
        yield Clusters(data[:seeds].reshape(-1, 4, 4), cell // METHODS, cell)


def difference_rows(sample: Simulated) -> Iterator[Row]:
    """Coverage of the difference between the two predictors' R², paired by base seed."""
    everything = np.ones(sample.parity.shape, dtype=bool)
    both = [cross_products_of(sample, p, everything).sum(axis=1) for p in ("distance", "proxy")]

    def statistic(grids: Array) -> Array:
        return r2_of(grids[..., 0, :, :]) - r2_of(grids[..., 1, :, :])

    grids = np.stack(both, axis=1)  # (seeds, predictors, 4, 4)
    truth = statistic(grids.sum(axis=0))
    yield from seed_rows(grids, lambda g: seed_jackknife(statistic, g), truth, "difference")


def seed_jackknife(statistic: Callable[[Array], Array], grids: Array) -> tuple[Array, Array]:
    """Jackknife over the first axis of a statistic of sums."""
    whole = grids.sum(axis=0)
    return jackknife_ends(statistic(whole), statistic(whole - grids))


def residual_rows(sample: Simulated) -> Iterator[Row]:
    """Coverage of the methods' mean residuals, as `predictive.residual_table` makes them."""
    everything = np.ones(sample.parity.shape, dtype=bool)
    grids = cross_products_of(sample, "distance", everything)
    grids = grids.reshape(-1, METHODS, TRAININGS, 4, 4).sum(axis=2)
    truth = mean_residuals(grids.sum(axis=0))
    yield from seed_rows(grids, lambda g: residual_intervals(g)[1:], truth, "residual")


def matched_rows(sample: Simulated) -> Iterator[Row]:
    """Coverage of the fashion accuracy at matched parity accuracy, Student's interval over base seeds."""
    optimal, kept = selected(sample, "frontier"), np.empty(sample.parity.shape[:2])
    for cell in np.ndindex(kept.shape):
        on = optimal[cell]
        kept[cell] = accuracy_at(sample.parity[cell][on], -sample.forgetting[cell][on], TARGET)[0]
    truth = np.nanmean(kept, axis=0)
    yield from seed_rows(kept, lambda k: mean_interval(k)[1:], truth, "matched", "student")


def seed_rows(
    values: Array,
    interval: Callable[[Array], tuple[Array, Array]],
    truth: Array,
    quantity: str,
    name: str = "jackknife",
) -> Iterator[Row]:
    """Coverage of an interval that needs of a data set only one array a base seed, values (seeds, ...)."""
    data_sets = values.reshape(-1, MOST, *values.shape[1:])
    for n in (n for n in SEEDS if n > 1):
        ends = np.array([np.stack(interval(data[:n]), axis=-1) for data in data_sets])
        row: Row = {"quantity": quantity, "predictor": "-", "seeds": n, "interval": name}
        yield row | covered(ends, truth)


def covered(ends: Array, truth: float | Array) -> Row:
    """Share of intervals, ends (data sets, ..., 2), that hold the truth (...), and their median width.

    Data sets without an interval (an accuracy that some seed does not reach) do not count.
    """
    inside = ((ends[..., 0] <= truth) & (truth <= ends[..., 1]))[made := np.isfinite(ends).all(axis=-1)]
    width = np.median(np.diff(ends[made], axis=-1))
    summary = {"truth": np.mean(truth), "coverage": inside.mean(), "width": width}
    return {name: round(float(value), 4) for name, value in summary.items()}


def selected(sample: Simulated, which: Which) -> npt.NDArray[np.bool_]:
    """Mask of the simulated points that enter a fit, as `frontier.select` chooses them."""
    mask = np.ones(sample.parity.shape, dtype=bool)
    if which == "final":
        mask[..., : CHECKPOINTS - 1] = False
    if which == "frontier":
        for cell in np.ndindex(mask.shape[:2]):
            optimal = pareto(sample.parity[cell].ravel(), -sample.forgetting[cell].ravel())
            mask[cell] = optimal.reshape(TRAININGS, CHECKPOINTS)
    return mask


def cross_products_of(sample: Simulated, predictor: str, mask: npt.NDArray[np.bool_]) -> Array:
    """Cross-products (seeds, trainings of a seed, 4, 4) of the selected points."""
    x = 2 * getattr(sample, predictor) / FARTHEST - 1
    design = np.stack([np.ones_like(x), x, x**2, sample.forgetting - sample.forgetting.mean()], axis=-1)
    sums: Array = np.einsum("smtci,smtcj,smtc->smtij", design, design, mask.astype(float), optimize=True)
    return sums.reshape(len(x), METHODS * TRAININGS, 4, 4)

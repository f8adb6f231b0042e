"""Which points enter a fit: all, each training's last, or each method and base seed's Pareto frontier."""

from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from forgetting.fits import Array

Which = Literal["all", "frontier", "final"]
SELECTIONS: tuple[Which, ...] = ("all", "frontier", "final")
ORDER = ["method", "base_seed", "training", "checkpoint"]
MEASURED = ["parity_accuracy", "fashion_accuracy", "forgetting"]


def select(points: pd.DataFrame, which: Which, *, keep_diverged: bool = False) -> pd.DataFrame:
    """Rows of `points` that enter a fit, sorted by method, base seed, training and checkpoint.

    all: every checkpoint. final: the last checkpoint of each training; a training that diverged by then has
    none, for an earlier checkpoint is not its end. frontier: the points that no other point of the same
    method and base seed beats on parity and on fashion accuracy. Per method, because across methods the
    best would erase the others, whose forgetting is what is to be predicted. Per base seed, because a
    lucky base model would erase the others, and because seeds are the independent replicates: a seed's
    frontier must not depend on which other seeds were drawn.

    Diverged rows are left out, unless `keep_diverged`: then those with finite accuracies stay. Raises
    ValueError on an unknown selection, if nothing is left, or if a row that is not marked diverged lacks an
    accuracy.
    """
    if which not in SELECTIONS:
        raise ValueError(f"unknown selection of points {which!r}: use one of {', '.join(SELECTIONS)}")
    points = points.sort_values(ORDER, kind="stable", ignore_index=True)
    if which == "final":
        points = points[points["checkpoint"] == points.groupby("training")["checkpoint"].transform("max")]
    finite = np.isfinite(points[MEASURED].to_numpy(dtype=float)).all(axis=1)
    diverged = points["diverged"].to_numpy(dtype=bool)
    if not (finite | diverged).all():
        first = points.loc[~(finite | diverged), "training"].iloc[0]
        raise ValueError(f"training {first} has no finite accuracy or forgetting and is not marked diverged")
    points = points[finite if keep_diverged else ~diverged]
    if which == "frontier":
        points = points[on_frontier(points)]
    if points.empty:
        raise ValueError(f"selection {which!r} of points is empty: did every training diverge?")
    return points.reset_index(drop=True)


def on_frontier(points: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Mask (n,) of the points that are Pareto-optimal within their method and base seed."""
    mask = np.zeros(len(points), dtype=bool)
    for rows in points.groupby(["method", "base_seed"]).indices.values():
        mask[rows] = pareto(*points[["parity_accuracy", "fashion_accuracy"]].to_numpy(dtype=float)[rows].T)
    return mask


def pareto(a: Array, b: Array) -> npt.NDArray[np.bool_]:
    """Mask (n,) of the points that no other beats, given a and b (n,), both to be large.

    Equal points do not beat each other, so copies of an optimal point are all optimal.
    """
    order = np.lexsort((-b, -a))
    a, b = a[order], b[order]
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(b)[:-1]])
    copy = np.concatenate([[False], (np.diff(a) == 0) & (np.diff(b) == 0)])
    original = np.maximum.accumulate(np.where(copy, 0, np.arange(len(a))))
    mask = np.empty(len(a), dtype=bool)
    mask[order] = (b > best_before)[original]
    return mask

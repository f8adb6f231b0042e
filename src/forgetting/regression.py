"""How well each predictor explains forgetting: R² with intervals, and paired differences of R²."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from forgetting.fits import (
    Array,
    Codes,
    cross_products,
    inside,
    isotonic_r2,
    quadratic,
    r2,
    r2_of,
    spearman,
    vertex,
)
from forgetting.frontier import SELECTIONS, Which, select
from forgetting.intervals import RESAMPLES, Clusters, chosen, interval_named, jackknife_ends, measured

__all__ = ["clusters", "predictors", "quadratic", "r2", "r2_differences", "r2_table", "select", "split_name"]

DESCRIBES = {  # columns of `points` that say what a row is; every other numeric column is a predictor
    "method", "learning_rate", "schedule", "epochs", "base_seed", "training", "checkpoint", "step",
    "parity_accuracy", "fashion_accuracy", "forgetting", "diverged",
}  # fmt: skip


def r2_table(
    points: pd.DataFrame,
    rng: np.random.Generator,
    columns: Sequence[str] | None = None,
    interval: str | None = None,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """One row a predictor and selection: R² of forgetting on a quadratic in the predictor (2509.04259, §4).

    Columns: predictor, inputs (new | old | -), points (all | frontier | final), r2, low, high, n, seeds,
    interval (a name of intervals.INTERVALS; by default what the coverage study supports), coverage (that
    study's, the lowest over its laws), n_diverged (rows left out before selecting), r2_with_diverged
    (finite ones kept), isotonic_r2, spearman, vertex (where the parabola turns over), vertex_inside (the range of the
    predictor), largest (its largest value), note (why a row has no R²; else empty). The
    predictors of a selection see the same resamples, where the interval resamples at all. Raises
    ValueError when a point that is not marked diverged has a non-finite predictor.
    """
    rows, last = [], points["checkpoint"].max()
    for which in SELECTIONS:
        entering, kept = select(points, which), select(points, which, keep_diverged=True)
        seeds, stream = entering["base_seed"].nunique(), int(rng.integers(2**63))
        name = interval or chosen(seeds)
        shared = {"n": len(entering), "seeds": seeds, "interval": name}
        shared |= {"coverage": measured(name, which, seeds), "n_diverged": n_diverged(points, which)}
        for column in columns_of(points, columns):
            row = named_row(column, which) | dict.fromkeys(("r2", "low", "high"), np.nan) | shared
            row |= {"r2_with_diverged": r2_where_finite(kept, column)}
            rows.append(row | fitted(entering, column, last, name, resamples, np.random.default_rng(stream)))
    return pd.DataFrame(rows)


def fitted(
    points: pd.DataFrame, column: str, last: int, interval: str, resamples: int, rng: np.random.Generator
) -> dict[str, object]:
    """The part of a row of `r2_table` that is fitted; only a note where x is (all but) constant."""
    if not measured_on(points, column, last):
        return {"note": f"{column} is measured at the end of trainings only"}
    x, y = values(points, column)
    if (distinct := len(np.unique(x))) < 3:
        return {"note": f"{column} takes {distinct} distinct values on {len(x)} points: a quadratic needs 3"}
    row = {"r2": r2(x, y), "isotonic_r2": isotonic_r2(x, y), "spearman": spearman(x, y)}
    low, high = interval_named(interval)(clusters(points, column), rng, resamples)
    turns = {"vertex": (at := vertex(x, y)), "vertex_inside": inside(at, x), "largest": x.max()}
    return row | {"low": low, "high": high, **turns, "note": ""}


def r2_differences(points: pd.DataFrame, of: str, others: Sequence[str] | None = None) -> pd.DataFrame:
    """R² of one predictor less that of each other, paired by points and base seeds (claim R10).

    Columns: predictor and inputs (of the other), points, difference, low, high (jackknife over base seeds;
    NaN with one), seeds, coverage (as in `r2_table`). Predictors without three distinct values are left out.
    """
    rows, last = [], points["checkpoint"].max()
    for which in SELECTIONS:
        entering = select(points, which)
        seeds, own = entering["base_seed"].nunique(), left_out_r2(entering, of)
        for column in (c for c in usable(entering, columns_of(points, others), last) if c != of):
            change = own - left_out_r2(entering, column)
            low, high = map(float, jackknife_ends(change[0], change[1:]))
            row = named_row(column, which) | {
                "difference": change[0],
                "low": low,
                "high": high,
                "seeds": seeds,
            }
            rows.append(row | {"coverage": measured("jackknife", "difference", seeds)})
    return pd.DataFrame(rows)


def left_out_r2(points: pd.DataFrame, column: str) -> Array:
    """R² of all points, then of all but each base seed in turn, (1 + S,)."""
    seeds = clusters(points, column).by_seed()
    whole = seeds.sum(axis=0)
    return r2_of(np.concatenate([whole[None], whole - seeds]))


def predictors(points: pd.DataFrame) -> list[str]:
    """Columns of `points` that predict forgetting, in their order in the frame."""
    return [name for name in points.select_dtypes("number").columns if name not in DESCRIBES]


def columns_of(points: pd.DataFrame, columns: Sequence[str] | None) -> list[str]:
    """The columns asked for, by default every predictor; ValueError on one that `points` does not have."""
    if columns is not None and (unknown := set(columns) - set(points.columns)):
        known = ", ".join(predictors(points))
        raise ValueError(f"points have no predictor {', '.join(sorted(unknown))}: they have {known}")
    return predictors(points) if columns is None else list(columns)


def usable(points: pd.DataFrame, columns: Sequence[str], last: int) -> list[str]:
    """The columns on which a quadratic can be fitted; `r2_table` says of the others why not."""
    return [column for column in columns if measured_on(points, column, last) and points[column].nunique() >= 3]


def measured_on(points: pd.DataFrame, column: str, last: int) -> bool:
    """Whether a predictor is measured on these points: a dear one is not, where a training has not ended.

    Such a column is empty on every checkpoint before `last`, the end of trainings (which a selection may not hold);
    a single hole, or any at the end, is an error, which `values` raises.
    """
    early = points["checkpoint"] < last
    return not early.any() or not points.loc[early, column].isna().all()


def split_name(column: str) -> tuple[str, str]:
    """Predictor and inputs of a column: forward_kl_new → forward_kl, new; weight_l1 → weight_l1, -."""
    name, _, inputs = column.rpartition("_")
    return (name, inputs) if inputs in ("new", "old") else (column, "-")


def named_row(column: str, which: Which) -> dict[str, object]:
    """The key of a row: predictor, inputs, points."""
    return dict(zip(("predictor", "inputs", "points"), (*split_name(column), which), strict=True))


def values(points: pd.DataFrame, column: str) -> tuple[Array, Array]:
    """Predictor and forgetting, (n,) each; ValueError names the trainings whose predictor is not finite."""
    x, y = points[[column, "forgetting"]].to_numpy(dtype=float).T
    if not (finite := np.isfinite(x) & np.isfinite(y)).all():
        named = ", ".join(map(str, points.loc[~finite, "training"].unique()[:5]))
        raise ValueError(
            f"{column} or forgetting is not finite on {(~finite).sum()} points that are not marked diverged "
            f"(trainings {named}): mark them, or mend the distance"
        )
    return x, y


def clusters(points: pd.DataFrame, column: str) -> Clusters:
    """Cross-products of predictor and forgetting by training, with each training's base seed and cell."""
    training = codes(points, ["base_seed", "method", "training"])
    first = np.unique(training, return_index=True)[1]
    seed, cell = codes(points, ["base_seed"])[first], codes(points, ["base_seed", "method"])[first]
    return Clusters(cross_products(*values(points, column), training), seed, cell)


def codes(points: pd.DataFrame, by: list[str]) -> Codes:
    """Group codes (n,) of the sorted distinct values of some columns, 0..G-1."""
    return points.groupby(by, sort=True).ngroup().to_numpy().astype(np.intp)


def n_diverged(points: pd.DataFrame, which: Which) -> int:
    """Diverged rows that a selection leaves out: among last checkpoints for final, else among all."""
    last = points["checkpoint"] == points.groupby("training")["checkpoint"].transform("max")
    return int((points["diverged"] & (last | (which != "final"))).sum())


def r2_where_finite(points: pd.DataFrame, column: str) -> float:
    """R² on the rows whose predictor is finite; NaN where they do not determine a quadratic."""
    x, y = points[[column, "forgetting"]].to_numpy(dtype=float).T
    x, y = x[finite := np.isfinite(x)], y[finite]
    return float(r2_of(cross_products(x, y)[0])) if len(np.unique(x)) >= 3 else np.nan


def fitted_curve(points: pd.DataFrame, column: str, resolution: int = 200) -> pd.DataFrame:
    """The quadratic of forgetting on a predictor over all points, at `resolution` places over the predictor's range."""
    x, y = values(select(points, "all"), column)
    at = np.linspace(x.min(), x.max(), resolution)
    return pd.DataFrame({column: at, "forgetting": quadratic(x, y)(at)})

"""How well each predictor explains forgetting: the table of R² with its intervals."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from forgetting.fits import (
    Array,
    Codes,
    cross_products,
    isotonic_r2,
    quadratic,
    r2,
    r2_of,
    spearman,
    vertex_inside,
)
from forgetting.frontier import SELECTIONS, Which, select
from forgetting.intervals import Clusters, Interval, bootstrap

__all__ = ["clusters", "predictors", "quadratic", "r2", "r2_table", "select", "split_name"]

DESCRIBES = {  # columns of `points` that say what a row is; every other numeric column is a predictor
    "method", "learning_rate", "schedule", "epochs", "base_seed", "training", "checkpoint", "step",
    "parity_accuracy", "fashion_accuracy", "forgetting", "diverged",
}  # fmt: skip


def predictors(points: pd.DataFrame) -> list[str]:
    """Columns of `points` that predict forgetting, in their order in the frame."""
    return [name for name in points.select_dtypes("number").columns if name not in DESCRIBES]


def split_name(column: str) -> tuple[str, str]:
    """Predictor and inputs of a column: forward_kl_new → forward_kl, new; weight_l1 → weight_l1, -."""
    name, _, inputs = column.rpartition("_")
    return (name, inputs) if inputs in ("new", "old") else (column, "-")


def r2_table(
    points: pd.DataFrame,
    rng: np.random.Generator,
    columns: Sequence[str] | None = None,
    interval: Interval = bootstrap,
) -> pd.DataFrame:
    """One row a predictor and selection: R² of forgetting on a quadratic in the predictor (2509.04259, §4).

    Columns: predictor, inputs (new | old | -), points (all | frontier | final), r2, low, high, n,
    n_diverged (rows left out before selecting), isotonic_r2, spearman, vertex_inside, note (why a row has
    no R²; else empty), r2_with_diverged (finite diverged rows kept). All predictors of a selection see
    the same resamples. Raises ValueError when a point that is not marked diverged has a non-finite
    predictor.
    """
    rows = []
    for which in SELECTIONS:
        chosen, kept = select(points, which), select(points, which, keep_diverged=True)
        seed = int(rng.integers(2**63))
        for column in predictors(points) if columns is None else columns:
            name, inputs = split_name(column)
            row = {
                "predictor": name,
                "inputs": inputs,
                "points": which,
                "r2": np.nan,
                "low": np.nan,
                "high": np.nan,
            }
            row |= {"n": len(chosen), "n_diverged": n_diverged(points, which)}
            row |= fitted(chosen, column, interval, np.random.default_rng(seed))
            rows.append(row | {"r2_with_diverged": r2_where_finite(kept, column)})
    return pd.DataFrame(rows)


def fitted(points: pd.DataFrame, column: str, interval: Interval, rng: np.random.Generator) -> dict[str, object]:
    """The part of a row of `r2_table` that is fitted; only a note where x is constant."""
    x, y = values(points, column)
    if (distinct := len(np.unique(x))) < 3:
        return {"note": f"{column} takes {distinct} distinct values on {len(x)} points: a quadratic needs 3"}
    low, high = interval(clusters(points, column), rng)
    return {
        "r2": r2(x, y),
        "low": low,
        "high": high,
        "isotonic_r2": isotonic_r2(x, y),
        "spearman": spearman(x, y),
        "vertex_inside": vertex_inside(x, y),
        "note": "",
    }


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

"""Old accuracy at equal new accuracy: what each method keeps once it has learned the same."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from forgetting.fits import Array
from forgetting.frontier import select
from forgetting.intervals import measured
from forgetting.results import Check, Estimate, check

TARGETS = (0.94, 0.96, 0.97, 0.98)
JUDGED = 0.96  # parity accuracy at which claims compare methods


def accuracy_at(parity: Array, fashion: Array, target: float, of: Array | None = None) -> tuple[float, str]:
    """Fashion accuracy at a target parity accuracy along a Pareto frontier (n,), and how it was found; with `of` (n,)
    that quantity there instead.

    "interpolated", linearly, between two points of the frontier; "exceeded" where every point is above the
    target: then the best fashion accuracy, which is had at more than the target; "not reached" and NaN
    above all.
    """
    if parity.max() < target:
        return np.nan, "not reached"
    order = np.lexsort((-fashion, parity))
    status = "exceeded" if target < parity.min() else "interpolated"
    return float(np.interp(target, parity[order], (fashion if of is None else of)[order])), status


def matched_accuracy(
    points: pd.DataFrame, targets: Sequence[float] = TARGETS, column: str = "fashion_accuracy"
) -> pd.DataFrame:
    """One row a method, base seed and target: fashion accuracy, or another column, there on the seed's own frontier.

    Columns: method, base_seed, parity_accuracy (the target), `column`, status (see `accuracy_at`).
    Nothing is extrapolated. A method whose every training of a seed diverged has not reached any target.
    """
    frontier = {key: rows for key, rows in select(points, "frontier").groupby(["method", "base_seed"])}
    rows = []
    for method, seed in sorted(set(zip(points["method"], points["base_seed"], strict=True))):
        for target in targets:
            value, status = np.nan, "not reached"
            if (cell := frontier.get((method, seed))) is not None:
                parity, fashion = cell[["parity_accuracy", "fashion_accuracy"]].to_numpy(dtype=float).T
                value, status = accuracy_at(parity, fashion, target, cell[column].to_numpy(dtype=float))
            rows.append((method, seed, target, value, status))
    return pd.DataFrame(rows, columns=["method", "base_seed", "parity_accuracy", column, "status"])


def matched_table(matched: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """One row a method and target: mean of `matched_accuracy` over base seeds, with Student's interval.

    Columns: method, parity_accuracy, fashion_accuracy, low, high, seeds, reached (how many seeds), exceeded (how many
    have all points above the target), status:
    reached | reached by some | not reached. Where only some seeds reach the target, their mean would be
    that of the lucky ones: it is left NaN. With one seed low and high are NaN. coverage: of the interval in
    the coverage study.
    """
    rows = []
    for (method, target), cell in matched.groupby(["method", "parity_accuracy"]):
        values = cell["fashion_accuracy"].to_numpy(dtype=float)
        reached = int((cell["status"] != "not reached").sum())
        status = {0: "not reached", len(cell): "reached"}.get(reached, "reached by some")
        row = {"method": method, "parity_accuracy": target}
        mean, low, high = map(float, mean_interval(values, level))
        row |= {"fashion_accuracy": mean, "low": low, "high": high}
        row |= {"seeds": len(cell), "reached": reached, "exceeded": int((cell["status"] == "exceeded").sum())}
        row |= {"status": status}
        rows.append(row | {"coverage": measured("student", "matched", len(cell))})
    return pd.DataFrame(rows)


def matched_difference(
    matched: pd.DataFrame, method: str, other: str, target: float, level: float = 0.95
) -> tuple[float, float, float]:
    """Mean, low and high of one method's fashion accuracy less another's, paired by base seed.

    NaN throughout where either has not reached the target on some seed; NaN ends with one seed. For
    equivalence by two one-sided tests at 5 %, ask for level 0.9. Raises ValueError when a method is not in
    the table.
    """
    wide = matched[matched["parity_accuracy"] == target].pivot(
        index="base_seed", columns="method", values="fashion_accuracy"
    )
    if missing := {method, other} - set(wide.columns):
        raise ValueError(f"no accuracy at {target} parity for {', '.join(sorted(missing))}: check methods and targets")
    mean, low, high = map(float, mean_interval((wide[method] - wide[other]).to_numpy(dtype=float), level))
    return mean, low, high


def keeps_more(claim: str, matched: pd.DataFrame, method: str, other: str, quantity: str) -> Iterator[Check]:
    """Checks that `method` keeps more than `other` at each target of `matched_accuracy`; JUDGED decides."""
    for target in matched["parity_accuracy"].unique():
        mean, low, high = matched_difference(matched, method, other, target)
        yield check(
            claim,
            quantity,
            0.0,
            Estimate(mean, 0.0, matched["base_seed"].nunique()),
            "above",
            role="headline" if target == JUDGED else "beside",
            interval=(low, high),
            parity=target,
        )


def mean_interval(values: Array, level: float = 0.95) -> tuple[Array, Array, Array]:
    """Mean over base seeds of values (S, ...) and the ends of Student's interval; NaN ends when S = 1."""
    mean: Array = np.mean(values, axis=0)
    if len(values) < 2:
        return mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    reach = stats.t.ppf((1 + level) / 2, len(values) - 1) * stats.sem(values, axis=0)
    return mean, mean - reach, mean + reach

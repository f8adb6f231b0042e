"""What the methods that hold on to the old task keep, what it takes, and whether the parity line's law foresaw it."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd

from forgetting.fits import Array, quadratic
from forgetting.frontier import select
from forgetting.intervals import CALIBRATED, LEVEL, PERFECT, jackknife_ends
from forgetting.matched import JUDGED, keeps_more, matched_accuracy, matched_difference, matched_table
from forgetting.regression import values
from forgetting.results import Check, Estimate, check
from forgetting.tables import escape, number

TARGETS = (0.95, 0.96, 0.97)
SEQUENTIAL = "sequential"
DOSES = (SEQUENTIAL, "small_rate", "short")  # SFT-1 in smaller doses, on which the law was fitted: no test of it
GENTLE = ("small_rate", "short", "lora", "lwf", "ewc")  # A11
REPLAYED = ("rehearsal", "pseudo_rehearsal")  # A12
RETAINING = {  # methods of anchors.images: name in the config: name in print, by family
    "sequential": "sequential SFT-1",
    "small_rate": "small learning rate",
    "short": "short training",
    "lora": "LoRA",
    "ewc": "EWC",
    "lwf": "LwF",
    "forward_anchor": "forward anchor, new inputs",
    "reverse_anchor": "reverse anchor, new inputs",
    "old_anchor": "forward anchor, old inputs",
    "rehearsal": "rehearsal",
    "pseudo_rehearsal": "pseudo-rehearsal",
    "denominator": "denominator replay",
}
FAMILIES = {  # panels of a figure that has more methods than colours
    "moving little": ["small_rate", "short", "lora"],
    "binding": ["ewc", "lwf", "denominator"],
    "anchors": ["forward_anchor", "reverse_anchor", "old_anchor"],
    "old data": ["rehearsal", "pseudo_rehearsal"],
}
NEEDS = {  # what a method needs on top of the new task
    **dict.fromkeys((*DOSES, "lora"), "nothing"),
    "ewc": "old data once, old model",
    "lwf": "old model",
    "forward_anchor": "old model",
    "reverse_anchor": "old model",
    "denominator": "old model",
    "old_anchor": "old inputs, old model",
    "rehearsal": "old data",
    "pseudo_rehearsal": "old model",
}


def families(methods: Iterable[str]) -> dict[str, list[str]]:
    """`FAMILIES` as far as `methods` has them, and a last one of those that are a user's own."""
    present = set(methods)
    known = {family: [method for method in own if method in present] for family, own in FAMILIES.items()}
    added = sorted(present - set(RETAINING))
    return known | ({"added": added} if added else {})


def kept_table(points: pd.DataFrame) -> pd.DataFrame:
    """One row a method and target: clothes kept at that parity accuracy, with Student's interval over base seeds.

    Columns as `matched.matched_table`, then forward_kl_new (there, mean over seeds; NaN like the accuracy where one
    does not get there) and needs ("--" of a method that is a user's own).
    """
    table = matched_table(matched_accuracy(points, TARGETS))
    keys, distance = ["method", "parity_accuracy"], matched_accuracy(points, TARGETS, "forward_kl_new")
    mean = distance.groupby(keys, as_index=False)["forward_kl_new"].mean(skipna=False)
    return table.merge(mean, on=keys).assign(needs=lambda frame: frame["method"].map(NEEDS).fillna("--"))


def kept_cells(table: pd.DataFrame, unseen: pd.DataFrame) -> pd.DataFrame:
    """`kept_table` at its lowest and highest target, and the law's residual, as cells of a LaTeX table."""
    low, high = (table[table["parity_accuracy"] == target].set_index("method") for target in (TARGETS[0], TARGETS[-1]))
    left = unseen.set_index("method")
    methods = [method for method in RETAINING if method in low.index]
    methods += sorted(set(low.index) - set(methods))
    cells = {"": [escape(RETAINING.get(method, method)) for method in methods]}
    for target, at in zip((TARGETS[0], TARGETS[-1]), (low, high), strict=True):
        rows = at.loc[methods, ["fashion_accuracy", "low", "high"]].to_numpy() * 100
        cells[f"clothes at {100 * target:.0f} \\%"] = [percent(*row) for row in rows]
    cells[f"KL at {100 * TARGETS[0]:.0f} \\%"] = [number(kl) for kl in low.loc[methods, "forward_kl_new"]]
    residual = left.reindex(methods)[["residual", "residual_low", "residual_high"]].to_numpy() * 100
    cells["left by the law"] = [percent(mean, least, most, "--") for mean, least, most in residual]
    cells["needs"] = low.loc[methods, "needs"].tolist()
    return pd.DataFrame(cells)


def percent(value: float, low: float, high: float, absent: str = "not reached") -> str:
    """Points of accuracy with their interval."""
    return absent if np.isnan(value) else rf"${value:.0f}$ {{\footnotesize [${low:.0f}$, ${high:.0f}$]}}"


def out_of_sample(law: pd.DataFrame, points: pd.DataFrame, column: str = "forward_kl_new") -> pd.DataFrame:
    """Do methods that the law was not fitted on fall on it?

    One row a method; "(all)" of them together but for DOSES; "(in range)", of those their points whose `column` is not
    beyond what the law was fitted on (`beyond`: the share that is).

    The quadratic of forgetting on `column` is fitted to the points `law`; r2 is 1 less its squared error on a method's
    own points over their variance, and may be negative; residual is the mean of what it leaves (positive: forgets
    more than the law says). low and high, of r2, as `intervals.calibrated`; the residual's: jackknife over base seeds.
    """
    x, y = values(select(law, "all"), column)
    fit, edge = quadratic(x, y), x.max()
    unseen = select(points, "all")
    unseen = unseen[unseen["method"] != SEQUENTIAL]
    tests = unseen[~unseen["method"].isin(DOSES)]
    groups = [*unseen.groupby("method"), ("(all)", tests), ("(in range)", tests[tests[column] <= edge])]
    rows = []
    for method, own in groups:
        x, y = values(own, column)
        seed, error = own["base_seed"].to_numpy(), y - fit(x)
        left, least_left, most_left = jackknifed(unexplained, seed, y, error, level=CALIBRATED)
        mean, least, most = jackknifed(lambda e: float(e.mean()), seed, error)
        row = {"method": method, "r2": -np.expm1(left), "low": -np.expm1(most_left), "high": -np.expm1(least_left)}
        row |= {"residual": mean, "residual_low": least, "residual_high": most, "n": len(x), "seeds": len(set(seed))}
        rows.append(row | {"beyond": float((x > edge).mean())})
    return pd.DataFrame(rows)


def unexplained(y: Array, error: Array) -> float:
    """log of the squared error over the sum of squares of y about its mean: log(1 − R²)."""
    return float(np.log(max((error**2).sum() / ((y - y.mean()) ** 2).sum(), PERFECT)))


def jackknifed(
    statistic: Callable[..., float], seed: Array, *columns: Array, level: float = LEVEL
) -> tuple[float, float, float]:
    """A statistic of columns (n,) and the ends of its interval from leaving out each base seed."""
    whole = statistic(*columns)
    left_out = [statistic(*(column[seed != one] for column in columns)) for one in np.unique(seed)]
    low, high = jackknife_ends(whole, np.array(left_out), level)
    return whole, float(low), float(high)


def retention_checks(points: pd.DataFrame) -> pd.DataFrame:
    """A11 and A12: clothes kept at matched parity, less those of sequential SFT, paired by base seed."""
    checks = pd.DataFrame([*above_sequential("A11", points, GENTLE), *above_sequential("A12", points, REPLAYED)])
    if set(REPLAYED) <= set(points["method"]):
        mean, low, high = matched_difference(matched_accuracy(points, TARGETS), *REPLAYED, JUDGED)
        e, name = Estimate(mean, 0.0, points["base_seed"].nunique()), "clothes kept by rehearsal less pseudo-rehearsal"
        trailing = check("A12", name, 0.0, e, "above", role="beside", interval=(low, high), parity=JUDGED)
        checks = pd.concat([checks, pd.DataFrame([trailing])], ignore_index=True)
    checks.insert(0, "experiment", "retention")
    return checks


def above_sequential(claim: str, points: pd.DataFrame, methods: tuple[str, ...]) -> Iterator[Check]:
    """A check for each method that the run has, at each target."""
    matched, present = matched_accuracy(points, TARGETS), set(points["method"])
    for method in methods:
        if {method, SEQUENTIAL} <= present:
            yield from keeps_more(claim, matched, method, SEQUENTIAL, f"clothes kept by {method} less sequential SFT")

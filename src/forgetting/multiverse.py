"""What each choice that the paper leaves open does to the law, and to where reinforcement learning stands."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from forgetting.fits import cross_products
from forgetting.frontier import Which, select
from forgetting.matched import JUDGED, matched_accuracy
from forgetting.predictive import held_out_r2
from forgetting.regression import codes, r2, r2_where_finite, values
from forgetting.tables import escape

LAW = "forward_kl_new"
CHANCE = "other_draws"  # the choice that is none: the same analysis with other draws, against which the others are held
OUTCOMES = ("r2", "grpo")  # R², and the clothes accuracy of GRPO at 96 % parity: columns of the table of universes
OF_THE_BASE = ["base_parity_accuracy", "base_fashion_accuracy", "base_entropy"]


def published_outcomes(r2: pd.DataFrame, matched: pd.DataFrame) -> dict[str, float]:
    """The paper's R² and GRPO's clothes accuracy at 96 % parity, from published/r2.csv and matched.csv."""
    law, grpo = r2[(r2["predictor"] + "_" + r2["inputs"]) == LAW], matched[matched["method"] == "grpo"]
    return {"r2": float(law["paper"].iloc[0]), "grpo": float(grpo["published"].iloc[0])}


def law_of(points: pd.DataFrame, which: Which) -> dict[str, Any]:
    """R² of forgetting on forward KL, that on methods left out of the fit, and on how many points; `note` says why
    there is none."""
    try:
        entering = select(points, which)
        x, y = values(entering, LAW)
        fitted = {"r2": r2(x, y), "held_out": held_out_r2(cross_products(x, y, codes(entering, ["method"])))[1]}
    except ValueError as fault:
        return {"r2": math.nan, "held_out": math.nan, "n": 0, "note": str(fault)}
    diverged = r2_where_finite(select(points, which, keep_diverged=True), LAW)
    return {**fitted, "n": len(entering), "r2_with_diverged": diverged, "note": ""}


def kept_by(points: pd.DataFrame) -> dict[str, float]:
    """Clothes kept at 96 % parity by each method that reaches it from every base, and GRPO's forward KL there."""
    if points["diverged"].all():
        return dict.fromkeys([*points["method"].unique(), "grpo_kl_there"], math.nan)
    kept = matched_accuracy(points, [JUDGED]).groupby("method")["fashion_accuracy"].agg(mean)
    moved = matched_accuracy(points, [JUDGED], LAW).groupby("method")[LAW].agg(mean)
    return {**{str(name): value for name, value in kept.items()}, "grpo_kl_there": moved.get("grpo", math.nan)}


def mean(values: pd.Series) -> float:
    """Mean; NaN where one is missing."""
    return float(values.mean(skipna=False))


def multiverse_table(points: pd.DataFrame, universes: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """One row a universe, the baseline first: kind, choice and value (of one that departs alone), departs (how many
    choices do), what `law_of` finds, clothes kept by each method at 96 % parity, its base, and every choice's value.

    points: of all cells. universes: kind, values, departs, cells (their names) and points (which enter R²). Raises
    ValueError when the points of a cell are missing.
    """
    by_cell = dict(list(points.groupby("cell")))
    rows = []
    for universe in universes:
        if missing := [name for name in universe["cells"] if name not in by_cell]:
            raise ValueError(f"the points of {len(missing)} cells of the multiverse are missing: run it again")
        own = pd.concat([by_cell[name] for name in universe["cells"]], ignore_index=True)
        alone = universe["departs"][0] if universe["kind"] == "alone" else ""
        row = {"kind": universe["kind"], "choice": alone, "value": universe["values"].get(alone, "")}
        row |= {"departs": len(universe["departs"]), **law_of(own, universe["points"]), **kept_by(own)}
        rows.append({**row, **own[OF_THE_BASE].mean(), **{f"choice_{k}": v for k, v in universe["values"].items()}})
    return pd.DataFrame(rows)


def choices_table(table: pd.DataFrame) -> pd.DataFrame:
    """One row a choice, in the order of what it does to R² alone: the default value and the others, and for R² and
    GRPO's clothes accuracy the lowest and highest over its values, how far they are apart (`moves`), and its rank.

    reached: at how many of its values GRPO gets to 96 % parity, of `values` in all.
    """
    first, rows = table.iloc[0], []
    for name, own in table[table["kind"] == "alone"].groupby("choice", sort=False):
        each = pd.concat([table.head(1), own])
        row = {"choice": name, "default": first[f"choice_{name}"], "others": ", ".join(map(str, own["value"]))}
        for outcome in [outcome for outcome in OUTCOMES if outcome in table]:
            low, high = each[outcome].min(), each[outcome].max()
            row |= {f"{outcome}_low": low, f"{outcome}_high": high, f"{outcome}_moves": high - low}
        reached = each["grpo"].notna().sum() if "grpo" in table else 0
        rows.append(row | {"reached": reached, "values": len(each)})
    found = pd.DataFrame(rows)
    for outcome in [outcome for outcome in OUTCOMES if f"{outcome}_moves" in found]:
        found[f"{outcome}_rank"] = found[f"{outcome}_moves"].rank(ascending=False, method="first").astype("Int64")
    return found.sort_values("r2_rank", ignore_index=True)


def summary(table: pd.DataFrame, choices: pd.DataFrame, published: Mapping[str, float]) -> pd.DataFrame:
    """One row that sums the multiverse up, for the paper's sentence; `published` has the paper's value of each outcome.

    Of R² and of GRPO's clothes accuracy: lowest, median, highest, in how many universes there is one, and in how many
    it is at least the published value; how far other draws and another base seed move it, how many choices move it by
    more than draws do, and the one that moves it most. In how many universes GRPO keeps more than SFT-2, of those in
    which both reach 96 % parity, and which are the others.
    """
    row: dict[str, Any] = {"universes": len(table), "combined": int((table["kind"] == "combined").sum())}
    for outcome in [outcome for outcome in OUTCOMES if outcome in table]:
        found, every = table[outcome].dropna(), choices.set_index("choice")[f"{outcome}_moves"]
        moves, chance = every.drop(CHANCE, errors="ignore"), every.get(CHANCE, math.nan)
        row |= {f"{outcome}_{name}": getattr(found, name)() for name in ("min", "median", "max")}
        row |= {f"{outcome}_n": len(found), f"{outcome}_published": int((found >= published[outcome]).sum())}
        most = str(moves.idxmax()).replace("_", " ") if moves.notna().any() else "none"
        row |= {f"{outcome}_most": most, f"{outcome}_moves": moves.max()}
        row |= {f"{outcome}_chance": chance, f"{outcome}_beyond_chance": int((moves > chance).sum())}
        row |= {f"{outcome}_seed": moves.get("base_seed", math.nan), f"{outcome}_choices": len(moves)}
    if {"grpo", "sft_2"} <= {*table}:
        both = table.dropna(subset=["grpo", "sft_2"])
        less = both[both["grpo"] <= both["sft_2"]]
        row |= {"rl_compared": len(both), "rl_keeps_more": len(both) - len(less)}
        row |= {"rl_exceptions": "; ".join(map(named, less.itertuples())) or "none"}
    return pd.DataFrame([row | mechanism(table)])


def named(universe: Any) -> str:
    """A row of the table of universes in a few words."""
    if universe.kind != "alone":
        return f"{universe.kind} ({universe.departs} departures)" if universe.departs else str(universe.kind)
    return f"{universe.choice} {universe.value}".replace("_", " ")


def mechanism(table: pd.DataFrame) -> dict[str, float]:
    """Whether the entropy of a base over the right digits foretells how far GRPO goes from it: Spearman's correlation
    over the distinct bases of the universes in which nothing but the base departs, and its permutation p-value.

    NaN below five bases.
    """
    own = about_bases(table)
    if len(own) < 5:
        return {"bases": len(own), "rho": math.nan, "p": math.nan}
    x, y = (stats.zscore(stats.rankdata(own[name])) for name in ("base_entropy", "grpo_kl_there"))
    test = stats.permutation_test(
        (x,),
        lambda drawn, axis: (drawn * y).mean(axis=axis),  # of standardised ranks: Spearman's correlation
        permutation_type="pairings",
        n_resamples=4999,
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    return {"bases": len(own), "rho": float(test.statistic), "p": float(test.pvalue)}


def about_bases(table: pd.DataFrame) -> pd.DataFrame:
    """Universes that differ in their base alone, and in which GRPO has reached 96 % parity."""
    if "grpo_kl_there" not in table:
        return table.head(0)
    base = table["choice"].isin(["pixels", "base_seed"]) | table["choice"].str.startswith("pretraining_")
    return table[(base | (table["kind"] == "baseline")) & table["grpo_kl_there"].notna()]


def choice_cells(choices: pd.DataFrame) -> pd.DataFrame:
    """What `choices_table` gives, as cells of a LaTeX table."""

    def span(row: pd.Series, outcome: str, times: float, places: int) -> str:
        low, high = row[f"{outcome}_low"], row[f"{outcome}_high"]
        return "--" if pd.isna(low) else rf"${times * low:.{places}f}$ to ${times * high:.{places}f}$"

    cells: dict[str, Any] = {"choice": choices["choice"].str.replace("_", " ").map(escape)}
    cells["values"] = [escape(f"{a} | {b}") for a, b in zip(choices["default"], choices["others"], strict=True)]
    cells["$R^2$"] = [span(row, "r2", 1, 2) for _, row in choices.iterrows()]
    if "grpo_low" in choices:
        cells["GRPO keeps, \\%"] = [span(row, "grpo", 100, 0) for _, row in choices.iterrows()]
        cells["reached"] = [f"{r} of {n}" for r, n in zip(choices["reached"], choices["values"], strict=True)]
    return pd.DataFrame(cells)

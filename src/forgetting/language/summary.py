"""What the language line found: the law's R², forgetting by skill, RL against SFT on each kind of base, checks."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from forgetting.intervals import label
from forgetting.language.points import PREDICTORS
from forgetting.matched import matched_accuracy, matched_difference, mean_interval
from forgetting.regression import r2_table
from forgetting.results import Estimate, check
from forgetting.tables import escape, interval

PUBLISHED = 0.71  # R² of the quadratic on Qwen 2.5 3B-Instruct (arXiv 2509.04259)
MATCHED = 0.95  # new-task accuracy at which methods are compared
SCRATCH_CLAIM, HUB_CLAIM = "L1", "L2"
PAIRS = [("grpo", "sft_1"), ("grpo", "sft_2"), ("sft_oracle", "grpo")]  # keeps more than, as published


def marking(bases: pd.DataFrame) -> str:
    """What the results are to be marked with: the model, and which ready bases miss a condition.

    bases: rows of `pretraining.conditions` with base (its name) and model.
    """
    model = str(bases["model"].iloc[0])
    name = "scratch model" if model == "scratch" else model
    ready = bases[bases["base"].str.startswith("ready")]
    failing = sorted(ready.loc[~ready["holds"], "base"].unique())
    return name + (f", not ready: {', '.join(failing)}" if failing else "")


def law_table(points: pd.DataFrame, measures: pd.DataFrame, rng: np.random.Generator, resamples: int) -> pd.DataFrame:
    """`regression.r2_table` of both KLs, of all bases together and of each alone (column bases: all, 0, 1, …).

    Together with the interval that the number of bases supports, and with the two-stage bootstrap, which two bases
    are too few for as well, but which says what the trainings alone leave open. kl_error: root mean square over the
    points of the standard error with which the KL was sampled, nats.
    """
    stream = int(rng.integers(2**63))
    named = None if points["base_seed"].nunique() == 1 else "two-stage"
    tables = [(points, "all", None)] + [(points, "all", named)] * bool(named)
    tables += [(rows, str(seed), None) for seed, rows in points.groupby("base_seed")] * bool(named)
    found = [
        r2_table(rows, np.random.default_rng(stream), PREDICTORS, how, resamples).assign(bases=bases)
        for rows, bases, how in tables
    ]
    here = measures[measures["training"].isin(points.loc[~points["diverged"], "training"])]
    errors = here.groupby("quantity")["standard_error"].agg(lambda e: float(np.sqrt(np.mean(e**2))))
    table = pd.concat(found, ignore_index=True)
    return table.assign(kl_error=(table["predictor"] + "_" + table["inputs"]).map(errors))


def skill_table(measures: pd.DataFrame, bases: pd.DataFrame) -> pd.DataFrame:
    """Forgetting of each old skill at the end of the trainings: kind (ready | unready), method, skill, forgetting, n.

    forgetting: the base's accuracy less the training's, mean over n trainings of all rates and bases of the kind.
    """
    before = bases[bases["condition"].str.startswith("old skill: ")]
    before = before.assign(quantity=before["condition"].str.removeprefix("old skill: "))
    last = measures[measures["checkpoint"] == measures.groupby(["base", "training"])["checkpoint"].transform("max")]
    both = last.merge(before[["base", "quantity", "value"]], on=["base", "quantity"], suffixes=("", "_base"))
    both = both.assign(
        kind=both["base"].str.split("-").str[0],
        method=both["training"].str.split("/").str[0],
        forgetting=both["value_base"] - both["value"],
    )
    grouped = both.groupby(["kind", "method", "quantity"], as_index=False)["forgetting"].agg(["mean", "count"])
    return grouped.rename(columns={"quantity": "skill", "mean": "forgetting", "count": "n"})


def compared(points: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Old accuracy lost at MATCHED new-task accuracy, one row a kind of base (ready | unready) and method.

    Columns: kind, method, forgetting, low, high (Student's interval over bases; NaN with one), bases, reached (how
    many got to that accuracy). NaN where not all did.
    """
    rows = []
    for kind, frame in points.items():
        old = (frame["fashion_accuracy"] + frame["forgetting"]).groupby(frame["base_seed"]).max()
        for method, cell in matched_accuracy(frame, [MATCHED]).groupby("method"):
            lost = old[cell["base_seed"]].to_numpy(float) - cell["fashion_accuracy"].to_numpy(float)
            mean, low, high = map(float, mean_interval(lost))
            row = {"kind": kind, "method": method, "forgetting": mean, "low": low, "high": high}
            rows.append(row | {"bases": len(cell), "reached": int((cell["status"] != "not reached").sum())})
    return pd.DataFrame(rows)


def checks(law: pd.DataFrame, points: Mapping[str, pd.DataFrame], model: str) -> pd.DataFrame:
    """R² against the published one; beside it each selection, reverse KL and each base, and RL against SFT by kind."""
    claim, rows = SCRATCH_CLAIM if model == "scratch" else HUB_CLAIM, []
    for row in law.dropna(subset="r2").to_dict("records"):
        first = (row["predictor"], row["points"], row["bases"]) == ("forward_kl", "all", "all")
        decides = first and row["interval"] == law["interval"].iloc[0]
        rows.append(
            check(
                claim,
                f"R2 of forgetting on {row['predictor']}",
                PUBLISHED,
                Estimate(row["r2"], 0.0, row["seeds"]),
                "meets",
                role="headline" if decides else "beside",
                interval=(row["low"], row["high"]),
                points=row["points"],
                bases=row["bases"],
                interval_by=row["interval"],
            )
        )
    for kind, frame in points.items():
        matched = matched_accuracy(frame, [MATCHED])
        for better, worse in PAIRS:
            if {better, worse} <= set(frame["method"]):
                mean, low, high = matched_difference(matched, better, worse, MATCHED)
                kept = Estimate(mean, 0.0, frame["base_seed"].nunique())
                quantity = f"old accuracy kept by {better} less {worse}"
                ends = (low, high)
                rows.append(check(claim, quantity, 0.0, kept, "above", role="beside", interval=ends, base=kind))
    return pd.DataFrame(rows)


def law_cells(law: pd.DataFrame, marked: str) -> pd.DataFrame:
    """`law_table` as cells of a LaTeX table: predictor, R² on all, frontier and final points, published."""
    names = {"forward_kl": "forward KL", "reverse_kl": "reverse KL"}
    mine = law[(law["bases"] == "all") & (law["interval"] == law["interval"].iloc[0])]
    rows = []
    for predictor, name in names.items():
        row = {"predictor": f"{name}, {escape(marked)}"}
        for one in mine[mine["predictor"] == predictor].to_dict("records"):
            row[f"{one['points']} ($n = {one['n']}$)"] = interval(one["r2"], one["low"], one["high"])
        rows.append(row | {"published": f"${PUBLISHED}$" if predictor == "forward_kl" else "--"})
    measured = [escape(label(float(c))) for c in mine.loc[mine["predictor"] == "forward_kl", "coverage"]]
    rows.append(dict(zip(rows[0], ["intervals", *measured, ""], strict=True)))
    return pd.DataFrame(rows)

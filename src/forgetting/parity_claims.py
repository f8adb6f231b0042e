"""Claims R1 to R12 and R14 on the parity line, as checks for the ledger (arXiv 2509.04259).

Predictors are measured on new-task inputs unless a claim says otherwise. Points = all decide; frontier and final
points stand beside. A claim on a predictor or method that a run does not have gets no check: it was not tested.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from forgetting.frontier import select
from forgetting.matched import keeps_more, matched_accuracy
from forgetting.results import Check, Estimate, check, exact, over_seeds

VALUES = {  # claim: predictor, inputs
    "R1": ("forward_kl", "new"),
    "R2": ("reverse_kl", "new"),
    "R3": ("total_variation", "new"),
    "R4": ("l2", "new"),
    "R5": ("weight_l1", "-"),
    "R6": ("fisher_l2", "-"),
    "R7": ("spectral_norm", "-"),
    "R8": ("activation_l1", "new"),
    "R9": ("activation_l2", "new"),
}
BEATEN = ("R5", "R6", "R7", "R8", "R9")  # R10: the predictors on weights and activations
ORDERS = {"R11": [("grpo", "sft_1"), ("grpo", "sft_2")], "R12": [("sft_oracle", "grpo")]}  # keeps more than
SPARSE, FULL = 0.05, 0.95  # R14: more unchanged weights than this are sparse; a lower share of full rank is low


def rows_of(table: pd.DataFrame, predictor: str, inputs: str) -> list[dict[str, Any]]:
    """Rows of a table on one predictor, one a selection of points."""
    return table[(table["predictor"] == predictor) & (table["inputs"] == inputs)].to_dict("records")  # type: ignore[return-value]


def values(r2: pd.DataFrame, published: pd.DataFrame) -> Iterator[Check]:
    """R1 to R9: R² of each predictor against the published one."""
    paper = published.set_index(["predictor", "inputs"])["paper"]
    for claim, (predictor, inputs) in VALUES.items():
        for row in rows_of(r2, predictor, inputs):
            yield check(
                claim,
                f"R2 of forgetting on {predictor}",
                paper[predictor, inputs],
                Estimate(row["r2"], 0.0, row["seeds"]),
                "meets",
                role="headline" if row["points"] == "all" else "beside",
                interval=(row["low"], row["high"]),
                points=row["points"],
            )


def beaten(differences: pd.DataFrame) -> Iterator[Check]:
    """R10: R² of forward KL less that of each predictor on weights and activations, paired."""
    for claim in BEATEN:
        predictor, inputs = VALUES[claim]
        for row in rows_of(differences, predictor, inputs):
            yield check(
                "R10",
                f"R2 of forward_kl less that of {predictor}",
                0.0,
                Estimate(row["difference"], 0.0, row["seeds"]),
                "above",
                role="headline" if row["points"] == "all" else "beside",
                interval=(row["low"], row["high"]),
                points=row["points"],
            )


def orders(points: pd.DataFrame) -> Iterator[Check]:
    """R11, R12: clothes kept by one method less those kept by another at the same parity accuracy, paired by seed."""
    matched, methods = matched_accuracy(points), set(points["method"])
    for claim, pairs in ORDERS.items():
        for more, less in (pair for pair in pairs if methods.issuperset(pair)):
            yield from keeps_more(claim, matched, more, less, f"clothes kept by {more} less {less}")


def updates(points: pd.DataFrame) -> Iterator[Check]:
    """R14: by method, the share of exactly unchanged weights and the lowest share of full rank of a layer's update,
    mean over a base seed's trainings; the worst training beside."""
    final = select(points, "final")
    for method, own in final.groupby("method"):
        means = own.groupby("base_seed")[["unchanged", "rank"]].mean()
        yield check("R14", "share of weights unchanged", SPARSE, over_seeds(means["unchanged"].to_numpy()), "below",
                    role="headline", method=method)  # fmt: skip
        yield check("R14", "rank of an update over full rank", FULL, over_seeds(means["rank"].to_numpy()), "above",
                    method=method)  # fmt: skip
        yield check("R14", "share of weights unchanged, worst training", SPARSE, exact(own["unchanged"].max()), "below",
                    role="beside", method=method)  # fmt: skip
        yield check("R14", "rank over full rank, worst training", FULL, exact(own["rank"].min()), "above",
                    role="beside", method=method)  # fmt: skip


def parity_checks(
    points: pd.DataFrame, r2: pd.DataFrame, differences: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Every check; frames as `points`, `regression.r2_table`, `regression.r2_differences` and published/r2.csv."""
    rows = [*values(r2, published), *beaten(differences), *orders(points), *updates(points)]
    checks = pd.DataFrame(rows)
    checks.insert(0, "experiment", "parity")
    return checks

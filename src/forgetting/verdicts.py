"""Verdicts on claims, computed from the checks by the rules of the claims ledger.

A part of a claim's measure holds, crosses (the sign is right but the interval reaches over), is inconclusive
(the value lies in an interval too wide to tell), fails, or was not reached. The claim takes the worst that
matters.
"""

from collections.abc import Iterable

import pandas as pd

STATES = ("holds", "crosses", "inconclusive", "fails", "not reached")


def verdict(states: list[str]) -> str:
    """Verdict of a claim from the states of its parts; no parts at all is "not tested".

    Raises ValueError for a state that no check produces.
    """
    unknown = set(states) - set(STATES)
    if unknown:
        raise ValueError(f"Unknown state {sorted(unknown)[0]!r} among the checks: expected {', '.join(STATES)}.")
    if not states:
        return "not tested"
    if "not reached" in states:
        return "not reached"
    if "fails" in states:
        return "not reproduced"
    if "inconclusive" in states:
        return "inconclusive"
    return "partly" if "crosses" in states else "reproduced"


def _strain(row: pd.Series) -> float:
    """How near a row is to breaking its rule; the headline shown is the one under most strain."""
    gap = float(row["measured"] - row["predicted"])
    return {"below": gap, "above": -gap}.get(row["rule"], abs(gap))


def verdicts(checks: pd.DataFrame, claims: Iterable[str]) -> pd.DataFrame:
    """One row a claim: id, statistic, parameters, predicted, ours, low, high, n, target, parts, verdict.

    `checks` holds the rows of every experiment, `claims` the ids to judge, in the table's order. Headline and
    measure rows decide; "beside" rows are shown elsewhere only. Ours is the headline row (of a claim without one,
    the measure row) farthest from its prediction, so that no better case hides it.
    """
    rows = []
    for claim in claims:
        parts = checks[(checks["claim"] == claim) & (checks["role"] != "beside")]
        row: dict[str, object] = {"id": claim}
        headlines = parts[parts["role"] == "headline"]
        candidates = headlines if len(headlines) else parts
        if len(candidates):
            shown = candidates.iloc[int(candidates.apply(_strain, axis=1).to_numpy().argmax())]
            row |= {"statistic": shown["quantity"], "ours": shown["measured"]}
            row |= {name: shown.get(name) for name in ("parameters", "predicted", "low", "high", "n", "target")}
        row["parts"] = f"{int((parts['state'] == 'holds').sum())} of {len(parts)}"
        row["verdict"] = verdict(parts["state"].tolist())
        rows.append(row)
    columns = ["id", "statistic", "parameters", "predicted", "ours", "low", "high", "n", "target"]
    columns += ["parts", "verdict"]
    return pd.DataFrame(rows).reindex(columns=columns)

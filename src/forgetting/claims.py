"""The claims ledger: what was published, what came out here, and the verdict by rule.

| column | meaning |
|---|---|
| id, line, claim, source | as in `published/claims.yaml`; the source is an arXiv number or this project |
| published | the published value as it was written; empty for a claim about signs and orders |
| ours, low, high, n | the headline check: measured value, its interval, the independent values behind it |
| statistic, parameters, predicted | what that check measures, where, and what it was held against |
| parts | how many of the claim's checks hold |
| verdict | by the rules of `forgetting.verdicts`; "not tested" without checks |
| preset, target | which run, and the file in its results folder that holds the check |
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
import yaml

from forgetting.tables import escape, precise
from forgetting.verdicts import verdicts

COLUMNS = ["id", "line", "claim", "source", "published", "ours", "low", "high", "n", "verdict", "target"]
COLUMNS += ["statistic", "parameters", "predicted", "parts", "preset"]
WRAPPED = r">{\raggedright\arraybackslash}p"
COLUMN_FORMAT = rf"l{WRAPPED}{{0.25\textwidth}}{WRAPPED}{{0.17\textwidth}}lllr"  # of `claim_cells`, a page wide


def published_claims(path: Path | str) -> pd.DataFrame:
    """Every claim of the ledger's source, in its order: id, line, claim, source, published."""
    claims = pd.DataFrame(yaml.safe_load(Path(path).read_text()))
    source = claims["paper"].map(lambda number: f"arXiv {number}", na_action="ignore").fillna("this project")
    published = claims["value"].map(as_written, na_action="ignore").fillna("")
    return claims[["id", "line", "claim"]].assign(source=source, published=published)


def as_written(value: object) -> str:
    """A published value as text: a number, a name, or several."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def gather(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Checks of every file in one frame, each row with the file (`target`) that holds it."""
    return pd.concat([frame.assign(target=target) for target, frame in frames.items()], ignore_index=True)


def ledger(published: pd.DataFrame, checks: pd.DataFrame, preset: str) -> pd.DataFrame:
    """One row a published claim, with COLUMNS; raises ValueError for checks of a claim that nobody published."""
    if unknown := set(checks["claim"]) - set(published["id"]):
        raise ValueError(f"Checks of claim {sorted(unknown)[0]!r}, which published/claims.yaml has not: add it.")
    return published.merge(verdicts(checks, published["id"]), on="id").assign(preset=preset)[COLUMNS]


def claim_cells(claims: pd.DataFrame) -> pd.DataFrame:
    """Rows of the ledger as cells of a LaTeX table: claim, predicted or published, measured, verdict."""
    expected = [
        f"${predicted:.6g}$" if pd.notna(predicted) else escape(written or "--")
        for predicted, written in zip(claims["predicted"], claims["published"], strict=True)
    ]
    found = [precise(*row) for row in zip(claims["ours"], claims["low"], claims["high"], strict=True)]
    cells = {
        "": claims["id"],
        "claim": claims["claim"].map(escape),
        "what is shown": statistic(claims).map(escape),
        "expected": expected,
        "measured": found,
        "verdict": claims["verdict"],
        "parts met": claims["parts"],
    }
    return pd.DataFrame(cells)


def statistic(claims: pd.DataFrame) -> pd.Series:
    """What a row's headline measures, and where."""
    return (claims["statistic"].fillna("") + ", " + claims["parameters"].fillna("")).str.strip(", ")


def counts(claims: Iterable[str]) -> str:
    """Verdicts counted in a sentence: "9 reproduced, 1 partly"."""
    return ", ".join(f"{n} {verdict}" for verdict, n in pd.Series(list(claims)).value_counts().items())

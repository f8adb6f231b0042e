"""What reproduced: the claims ledger on one page, for the README and the report."""

from collections.abc import Iterator

import pandas as pd

from forgetting.claims import counts

LINES = {
    "mixture": "The mixture theory against simulation",
    "parity": "The parity law on images",
    "anchors": "Anchors, replay and limits",
    "language": "The law on a language model",
}
MEANING = (
    "*Reproduced*: every part of the claim's measure holds with its interval on the right side, and a published value "
    "meets an interval of half-width at most 0.05. *Inconclusive*: that interval is wider. *Partly*: the signs are "
    "right and an interval crosses. *Not reached*: what is to be compared was not got to. *Not tested*: no run."
)


def measured(row: pd.Series) -> str:
    """Ours with its interval, as text; empty where nothing was measured."""
    if pd.isna(row["ours"]):
        return ""
    if pd.isna(row["low"]) or row["low"] == row["high"]:
        return f"{row['ours']:.3g}"
    return f"{row['ours']:.3g} [{row['low']:.3g}, {row['high']:.3g}]"


def rows(claims: pd.DataFrame) -> Iterator[tuple[str, str, str, str, str]]:
    """Each claim as text: id, claim, what was expected, what came out, verdict."""
    for _, row in claims.iterrows():
        held = row["predicted"] if pd.isna(row["published"]) or row["published"] == "" else row["published"]
        expected = "" if pd.isna(held) else f"{float(held):.4g}" if isinstance(held, float) else str(held)
        yield row["id"], row["claim"], expected, measured(row), row["verdict"]


def sentence(claims: pd.DataFrame) -> str:
    """The ledger in a sentence."""
    return f"Of {len(claims)} claims: {counts(claims['verdict'])}."


def markdown(claims: pd.DataFrame) -> str:
    """The page as Markdown."""
    parts = [f"{sentence(claims)} {MEANING}"]
    for line, title in LINES.items():
        own = claims[claims["line"] == line]
        table = ["| | claim | expected | ours | verdict |", "|---|---|---|---|---|"]
        table += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows(own)]
        parts.append(f"**{title}**: {counts(own['verdict'])}.\n\n" + "\n".join(table))
    return "\n\n".join(parts) + "\n"


def restructured(claims: pd.DataFrame, headline: str) -> str:
    """The page as reStructuredText, below the run's headline."""
    parts = [headline, f"{sentence(claims)} {MEANING}"]
    for line, title in LINES.items():
        own = claims[claims["line"] == line]
        table = [".. list-table::", "   :header-rows: 1", "   :widths: 6 44 14 22 14", ""]
        for row in [("", "claim", "expected", "ours", "verdict"), *rows(own)]:
            table += [f"   {'*' if not number else ' '} - {quoted(cell)}" for number, cell in enumerate(row)]
        parts.append(f"**{title}**: {counts(own['verdict'])}.\n\n" + "\n".join(table))
    return "\n\n".join(parts) + "\n"


def quoted(text: str) -> str:
    """Text in which reStructuredText sees no markup."""
    return "".join(f"\\{letter}" if letter in "\\*`|_" else letter for letter in text)

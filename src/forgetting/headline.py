"""The end of a run: what it found, and where to look."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def law(r2: "pd.DataFrame") -> str:
    """The parity line in a sentence, from `tables/r2.csv`."""
    from forgetting.intervals import label

    row = r2.query("predictor == 'forward_kl' and inputs == 'new' and points == 'all'").iloc[0]
    return (
        f"Forward KL on the new task against forgetting: R2 = {row['r2']:.3f} [{row['low']:.3f}, {row['high']:.3f}] "
        f"({label(float(row['coverage']))}) over {row['n']} checkpoints of {row['seeds']} base seeds; published: 0.96."
    )


def verdicts(line: str, claims: "pd.DataFrame") -> str:
    """A line of evidence in a sentence, from the table of verdicts on its claims."""
    counts = claims["verdict"].value_counts()
    return f"{line}, {len(claims)} claims: {', '.join(f'{n} {verdict}' for verdict, n in counts.items())}."


def headline(results: Path) -> None:
    """Print what there is in the tables of a results folder."""
    import pandas as pd  # here, so that parsing the workflow stays light

    sentences: dict[str, Callable[[pd.DataFrame], str]] = {
        "r2": law,
        "mixture_claims": partial(verdicts, "Mixture theory"),
        "anchors_claims": partial(verdicts, "Anchors"),
    }
    for name, sentence in sentences.items():
        table = results / "tables" / f"{name}.csv"
        if table.is_file():
            print(sentence(pd.read_csv(table)))
    print(f"Look at {results}/figures/ and {results}/tables/; logs are in {results}/logs/.")

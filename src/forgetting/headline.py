"""The end of a run: what it found, and where to look."""

from pathlib import Path
from typing import TYPE_CHECKING

from forgetting.typesetting import DEBIAN

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


def verdicts(claims: "pd.DataFrame") -> str:
    """The ledger in a sentence for each line of evidence."""
    from forgetting.claims import counts

    lines = claims.groupby("line", sort=False)["verdict"]
    return "\n".join(f"{line}, {len(verdict)} claims: {counts(verdict)}." for line, verdict in lines)


def headline(results: Path, typeset: bool = True) -> None:
    """Print what there is in a results folder; `typeset` is false where a PDF was wanted and there is no TeX."""
    import pandas as pd  # here, so that parsing the workflow stays light

    for name, sentence in {"tables/r2.csv": law, "claims.csv": verdicts}.items():
        if (results / name).is_file():
            print(sentence(pd.read_csv(results / name)))
    paper = "paper.pdf, " if (results / "paper.pdf").is_file() else ""
    print(f"Look at {paper}figures/ and tables/ in {results}/; logs are in {results}/logs/.")
    if not typeset:
        print(f"There is no paper.pdf, for want of a TeX engine: on Debian, apt-get install {DEBIAN}, and run again.")

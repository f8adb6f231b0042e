"""Frames in, table files out: numbers as CSV, and the same as a booktabs table for the paper."""

import math
from pathlib import Path

import pandas as pd

from forgetting.frontier import SELECTIONS
from forgetting.intervals import label
from forgetting.whole import whole_file, write_text

LATEX = str.maketrans(
    {character: rf"\{character}" for character in "&%#_${}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {"^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "\\": r"\textbackslash{}"}
)
MEASURED = ["r2", "low", "high", "n", "n_diverged", "coverage"]  # columns of `regression.r2_table` that are printed


def write(table: pd.DataFrame, csv: Path | str) -> None:
    """Write a frame as CSV, whole or not at all."""
    with whole_file(csv) as partial:
        table.to_csv(partial, index=False)


def write_latex(cells: pd.DataFrame, tex: Path | str, column_format: str) -> None:
    """Write a frame of finished cells (LaTeX text) as a booktabs tabular; headings are its columns' names."""
    latex = cells.style.hide(axis="index").to_latex(hrules=True, column_format=column_format)
    write_text(latex, tex)


def predictors(r2: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """R² of every predictor over all, frontier and final points beside the published columns, one row a predictor.

    r2: as `regression.r2_table` gives it; published: predictor, inputs, label, paper, paper_error, sakana, remark (text
    where there is no value). The rows keep the published order; predictors that nobody published come last, under
    their own names.
    """
    keys = ["predictor", "inputs"]
    wide = r2.pivot(index=keys, columns="points", values=MEASURED)
    wide.columns = pd.Index(["_".join(pair) for pair in wide.columns])
    table = wide.reset_index().merge(published, on=keys, how="left")
    rank = {pair: number for number, pair in enumerate(zip(published["predictor"], published["inputs"], strict=True))}
    order = table.apply(lambda row: rank.get((row["predictor"], row["inputs"]), len(rank)), axis=1)
    table = table.iloc[order.argsort(kind="stable")].reset_index(drop=True)
    names = table["predictor"].str.replace("_", " ") + table["inputs"].map({"-": ""}).fillna(
        ", " + table["inputs"] + " task"
    )
    table["label"] = table["label"].fillna(names)
    measured = [f"{v}_{p}" for p in SELECTIONS for v in MEASURED]
    counts = [name for name in measured if name.startswith("n_")]
    return table.astype(dict.fromkeys(counts, int))[
        [*keys, "label", *measured, "paper", "paper_error", "sakana", "remark"]
    ]


def number(value: float, error: float = math.nan) -> str:
    """A value with two digits, its published error where there is one; a dash where there is no value."""
    if math.isnan(value):
        return "--"
    return f"${value:.2f}$" if math.isnan(error) else rf"${value:.2f} \pm {error:.2f}$"


def interval(value: float, low: float, high: float) -> str:
    """A value with its interval."""
    return "--" if math.isnan(value) else rf"${value:.2f}$ {{\footnotesize [${low:.2f}$, ${high:.2f}$]}}"


def predictor_cells(table: pd.DataFrame) -> pd.DataFrame:
    """What `predictors` gives, as cells of a LaTeX table; the numbers of points stand in the headings.

    The last rows count the diverged checkpoints, which no fit holds, and say what the intervals may be called.
    """
    first = table.iloc[0]
    cells = pd.DataFrame({"predictor": table["label"].map(escape)})
    for which in SELECTIONS:
        heading = f"{which} ($n = {first[f'n_{which}']}$)"
        columns = (table[f"{value}_{which}"] for value in ("r2", "low", "high"))
        cells[heading] = [interval(*row) for row in zip(*columns, strict=True)]
    published = [number(*row) for row in zip(table["paper"], table["paper_error"], strict=True)]
    cells["published"] = [*table["remark"].where(table["remark"].notna(), published)]
    cells["SakanaAI"] = [number(value) for value in table["sakana"]]
    notes = {
        "left out of the fits": [f"{first[f'n_diverged_{which}']} diverged" for which in SELECTIONS],
        "intervals": [escape(label(first[f"coverage_{which}"])) for which in SELECTIONS],
    }
    rows = pd.DataFrame([[name, *row, "", ""] for name, row in notes.items()], columns=cells.columns)
    return pd.concat([cells, rows], ignore_index=True)


def precise(value: float, low: float, high: float) -> str:
    """A value with its interval to three digits; to six where it is exact, so that .50005 does not become .5."""
    if math.isnan(value):
        return "--"
    if low == high:
        return f"${value:.6g}$"
    return rf"${value:.3g}$ {{\footnotesize [${low:.3g}$, ${high:.3g}$]}}"


def escape(text: str) -> str:
    """A name as LaTeX text."""
    return text.translate(LATEX)


def coverage_table(study: pd.DataFrame) -> pd.DataFrame:
    """How often each interval of R² over all points covers the truth: the lowest over the study's laws.

    study: as `forgetting.coverage` makes it. Columns: interval, then one for each number of base seeds.
    """
    known = study[(study["quantity"] == "all") & (study["seeds"] > 1)]
    lowest = known.groupby(["interval", "seeds"])["coverage"].min().unstack("seeds")
    lowest.columns = lowest.columns.astype(str)
    return lowest.sort_values(lowest.columns[-2], ascending=False).reset_index()


def coverage_cells(table: pd.DataFrame) -> pd.DataFrame:
    """What `coverage_table` gives, in per cent, as cells of a LaTeX table."""
    cells: dict[str, object] = {"interval, by base policies": table["interval"]}
    for seeds in table.columns[1:]:
        cells[seeds] = [f"{100 * share:.0f}" for share in table[seeds]]
    return pd.DataFrame(cells)

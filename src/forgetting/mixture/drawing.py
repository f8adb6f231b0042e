"""How a curve's source looks: lines for predictions, dots for simulations, dots on a line for bounds."""

import re
from numbers import Real
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

STYLES: dict[str, dict[str, object]] = {
    "predicted": {"ls": "-", "lw": 1.1},
    "flow": {"ls": "-", "lw": 1.1},
    "bound": {"ls": ":", "lw": 1.1},
}
PRINTED = {"delta": "δ", "alpha": "α", "beta": "β", "lambda": "λ", "b0": "β₀"}


def read(path: Path | str) -> pd.DataFrame:
    """Curves with each parameter of their label in a column of its own, numbers as numbers."""
    frame = pd.read_parquet(path)
    found = [dict(re.findall(r"(\w+)=(.*?)(?= \w+=|$)", label)) for label in frame["parameters"]]
    columns = pd.DataFrame(found, index=frame.index)
    for name in columns:
        numbers = pd.to_numeric(columns[name], errors="coerce")
        columns[name] = numbers if numbers.notna().sum() == columns[name].notna().sum() else columns[name]
    return frame.join(columns)


def printed(name: str, value: object) -> str:
    """Parameter and value as they are printed, for example "δ = 4"."""
    return f"{PRINTED.get(name, name)} = {float(value):g}" if isinstance(value, Real) else str(value)


def overlay(ax: Axes, frame: pd.DataFrame, by: str, colours: list[str], **dots: object) -> list[Line2D]:
    """Draw every curve of `frame`, one colour a value of column `by`; return one legend handle a value."""
    values = sorted(frame[by].dropna().unique())
    for value, colour in zip(values, colours, strict=False):
        for (source, _), rows in frame[frame[by] == value].groupby(["source", "parameters"], sort=False):
            if source not in STYLES:
                reach = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
                style = {"fmt": "o", "ms": 2.6, "elinewidth": 0.8, "mew": 0} | dots
                ax.errorbar(rows["x"], rows["value"], reach, color=colour, **style)  # type: ignore[arg-type]
            else:
                ax.plot(rows["x"], rows["value"], color=colour, zorder=1, **STYLES[str(source)])  # type: ignore[arg-type]
    return [Line2D([], [], color=c, label=printed(by, v)) for v, c in zip(values, colours, strict=False)]


def sources(*names: str) -> list[Line2D]:
    """Legend handles of the sources: exact, bound, SGD."""
    known = {
        "exact": Line2D([], [], color="0.3", ls="-", lw=1.1, label="predicted"),
        "bound": Line2D([], [], color="0.3", ls=":", lw=1.1, label="bound"),
        "simulated": Line2D([], [], color="0.3", ls="", marker="o", ms=2.6, label="simulated"),
    }
    return [known[name] for name in names]

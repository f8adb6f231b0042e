"""Numbers in the paper's prose: each is a named macro that says which table, row and column it is read from.

`paper/numbers.yaml` maps a macro's name to its place:

    LawRsq: {in: tables/r2.csv, where: {predictor: forward_kl, inputs: new, points: all}, show: r2, as: .2f}

`in` is a table of the run (relative to its results folder) or `config`; `where` picks one row, `show` a column or
several; `as` is Python's format of a number, put in brackets when several are shown. `times` scales, `count: true`
shows how many rows there are, `pick: min` (or max) takes the extreme one of several.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field

from forgetting.tables import escape

NOT_RUN = "(not run)"


class Place(BaseModel):
    """Where a number is read, and how it is printed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str = Field(alias="in")
    where: dict[str, str | float] = {}
    show: str | tuple[str, ...] = ""
    format: str = Field(default="", alias="as")
    times: float = 1.0
    nan: str = "not reached"
    pick: Literal["", "min", "max"] = ""
    count: bool = False

    def text(self, value: Any) -> str:
        """A value as LaTeX text."""
        if isinstance(value, str):
            return escape(value)
        if pd.isna(value):
            return self.nan
        return format(value * self.times if self.times != 1 else value, self.format).replace("-", "$-$")


def row_of(frame: pd.DataFrame, place: Place) -> pd.DataFrame:
    """The rows that `where` picks."""
    for column, wanted in place.where.items():
        value = frame[column]
        frame = frame[value.sub(wanted).abs() < 1e-9 if isinstance(wanted, float) else value.astype(str) == str(wanted)]
    return frame


def from_table(frame: pd.DataFrame, place: Place) -> str:
    """What a place shows of its table; NOT_RUN where the row is not there.

    Raises ValueError when `where` leaves several rows.
    """
    rows = row_of(frame, place)
    if place.count:
        return format(len(rows), place.format)
    if not len(rows):
        return NOT_RUN
    if place.pick:
        rows = rows[rows[place.show] == getattr(rows[place.show], place.pick)()].head(1)
    if len(rows) > 1:
        raise ValueError(
            f"{place.table}: {len(rows)} rows with {dict(place.where)}, so it is not clear which to print."
        )
    if isinstance(place.show, str):
        return place.text(rows.iloc[0][place.show])
    ends = rows.iloc[0][list(place.show)]
    return "" if ends.isna().any() else "[" + ", ".join(map(place.text, ends)) + "]"


def from_config(config: Mapping[str, Any], place: Place) -> str:
    """A config value by its dotted name; the length of a list."""
    value: Any = config
    for key in str(place.show).split("."):
        value = value[key]
    return place.text(len(value) if isinstance(value, list | tuple | dict) else value)


def places(path: Path | str) -> dict[str, Place]:
    """The macros' names and places. Raises ValueError for a name that TeX cannot have."""
    named = yaml.safe_load(Path(path).read_text())
    if wrong := [name for name in named if not re.fullmatch("[A-Za-z]+", name)]:
        raise ValueError(f"{path}: {wrong[0]!r} cannot be a macro: letters only.")
    return {name: Place.model_validate(entry) for name, entry in named.items()}


def macros(named: Mapping[str, Place], results: Path, config: Mapping[str, Any]) -> dict[str, str]:
    """Text of every macro; NOT_RUN where a table does not exist, because its line is switched off."""
    files = {place.table for place in named.values()} - {"config"}
    frames = {name: pd.read_csv(results / name) for name in files if (results / name).is_file()}
    found = {}
    for name, place in named.items():
        if place.table == "config":
            found[name] = from_config(config, place)
        else:
            found[name] = from_table(frames[place.table], place) if place.table in frames else NOT_RUN
    return found


def tex(found: Mapping[str, str], named: Mapping[str, Place], claims: pd.DataFrame) -> str:
    """numbers.tex: a macro for each number, with its place beside it, and \\Verdict{id} for each claim."""
    lines = ["% Made from paper/numbers.yaml and the tables of a run: do not edit."]
    for name, text in found.items():
        place = named[name]
        row = ", ".join(f"{key}={value}" for key, value in place.where.items())
        shown = "count" if place.count else place.show if isinstance(place.show, str) else " ".join(place.show)
        lines.append(rf"\newcommand{{\{name}}}{{{text}}} % {place.table}: {row}: {shown}")
    verdicts = zip(claims["id"], claims["verdict"], strict=True)
    lines += [rf"\expandafter\def\csname verdict {claim}\endcsname{{{verdict}}}" for claim, verdict in verdicts]
    return "\n".join(lines) + "\n"

"""A fresh run beside the published one: what moved, and whether it moved too far.

On the same kind of machine a fresh run gives the same bytes. Elsewhere rounding differs, and training carries the
difference on, a sampled answer at a time; `TOLERANCES` says how far each kind of file may move. Names, counts, seeds,
states and verdicts may not move at all.
"""

import json
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from forgetting.kept import CONFIG


class Tolerance(NamedTuple):
    """A value may differ from the published one, v, by `absolute` + `relative` · |v|."""

    absolute: float
    relative: float


TRAINED, COMPUTED = Tolerance(0.02, 0.05), Tolerance(1e-6, 1e-6)
# The first pattern that fits a file's path in the results folder counts.
TOLERANCES = {"mixture/*": COMPUTED, "anchors/points.parquet": TRAINED, "anchors/*": COMPUTED, "*": TRAINED}


class Move(NamedTuple):
    """A column that differs: by how much at most, in which row, in how many rows, and whether that is too far."""

    column: str
    most: float
    row: int
    rows: int
    beyond: bool

    def __str__(self) -> str:
        by = "other values" if np.isnan(self.most) else f"by up to {self.most:.3g}"
        return f"{self.column}: {by} in {self.rows} rows, most in row {self.row}" + (", TOO FAR" if self.beyond else "")


def tolerance(name: str) -> Tolerance:
    """How far the values of a file may move."""
    return next(found for pattern, found in TOLERANCES.items() if fnmatch(name, pattern))


def moved(column: str, ours: pd.Series, theirs: pd.Series, allowed: Tolerance) -> Move | None:
    """How a column differs from the published one; None when it does not. Only floats may differ at all."""
    if not (pd.api.types.is_float_dtype(ours) and pd.api.types.is_float_dtype(theirs)):
        differ = ~((ours == theirs) | (ours.isna() & theirs.isna())).to_numpy(bool)
        return Move(column, np.nan, int(differ.argmax()), int(differ.sum()), True) if differ.any() else None
    a, b = ours.to_numpy(float), theirs.to_numpy(float)
    differ = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not differ.any():
        return None
    with np.errstate(invalid="ignore"):
        gap = np.where(differ, np.abs(a - b), 0.0)
    gap[np.isnan(gap)] = np.inf  # a value on one side only
    beyond = bool((gap > allowed.absolute + allowed.relative * np.abs(np.nan_to_num(b))).any())
    return Move(column, float(gap.max()), int(gap.argmax()), int(differ.sum()), beyond)


def read(path: Path) -> pd.DataFrame:
    """A table, parquet or CSV."""
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


def compare(name: str, fresh: Path, published: Path) -> tuple[str, bool]:
    """Sentences on a file of a fresh run beside the published one, and whether it is within tolerance."""
    if not (published / name).is_file():
        return f"{name}: not published", False
    if fresh.read_bytes() == (published / name).read_bytes():
        return f"{name}: the same bytes", True
    ours, theirs = read(fresh), read(published / name)
    if list(ours.columns) != list(theirs.columns) or len(ours) != len(theirs):
        shape = f"{len(ours)} rows, {len(ours.columns)} columns"
        return f"{name}: {shape}; published: {len(theirs)} rows, {len(theirs.columns)} columns, TOO FAR", False
    allowed = tolerance(name)
    moves = [m for column in ours if (m := moved(str(column), ours[column], theirs[column], allowed))]
    within = not any(move.beyond for move in moves)
    head = f"{name}: {'within' if within else 'NOT within'} {allowed.absolute:g} + {allowed.relative:g} · |published|"
    return "\n    ".join([head, *map(str, moves)]), within


def verify(files: Mapping[str, Path], published: Path, config: Mapping[str, Any]) -> tuple[str, bool]:
    """The comparison of all files as text, and whether all are within tolerance."""
    kept = json.loads((published / CONFIG).read_text())
    other = [f"config {key}: another than the published run's" for key in config if config[key] != kept.get(key)]
    found = [compare(name, file, published) for name, file in files.items()]
    good = sum(within for _, within in found)
    last = f"{good} of {len(found)} files are as published, within the stated tolerances."
    return "\n".join([*other, *(text for text, _ in found), last]), good == len(found)

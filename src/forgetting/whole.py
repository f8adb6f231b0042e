"""Outputs are written whole or not at all: into a file beside the target, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def whole_file(target: Path | str) -> Iterator[Path]:
    """Yield a path to write to; it becomes `target` when the block ends well, and vanishes when it raises.

    The partial name ends like the target's, for writers that choose a format by it, and holds the process number,
    so that an orphan of a killed run cannot write into the file of the run that replaced it.
    """
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{os.getpid()}.{target.name}")
    try:
        yield partial
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def write_parquet(table: "pd.DataFrame", target: Path | str) -> None:
    """Write a frame as parquet, whole or not at all."""
    with whole_file(target) as partial:
        table.to_parquet(partial, index=False)


def write_text(text: str, target: Path | str) -> None:
    """Write text, whole or not at all."""
    with whole_file(target) as partial:
        partial.write_text(text)

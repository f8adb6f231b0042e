"""Outputs are written whole or not at all: into a file beside the target, then renamed."""

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

FULL = {errno.ENOSPC, errno.EDQUOT}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}


class WriteError(Exception):
    """A file cannot be written for want of room or of permission; the message is one sentence for the user."""


def system_fault(fault: Exception) -> int | None:
    """The system's error number behind an exception; writers in Rust name it in their message only."""
    if isinstance(fault, OSError):
        return fault.errno
    named = re.search(r"\(os error (\d+)\)", str(fault))
    return int(named[1]) if named else None


@contextmanager
def whole_file(target: Path | str) -> Iterator[Path]:
    """Yield a path to write to; it becomes `target` when the block ends well, and vanishes when it raises.

    The partial name ends like the target's, for writers that choose a format by it, and holds the process number,
    so that an orphan of a killed run cannot write into the file of the run that replaced it. Raises WriteError, in one
    sentence, where there is no room or no permission.
    """
    target = Path(target)
    partial = target.with_name(f".{os.getpid()}.{target.name}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        os.replace(partial, target)
    except Exception as fault:
        number = system_fault(fault)
        if number in FULL | FORBIDDEN:
            hint = "make room" if number in FULL else "see to its folder"
            why = os.strerror(number or 0)
            raise WriteError(f"{target} cannot be written ({why}): {hint}, and run the same command again.") from fault
        raise
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(target: Path | str) -> Iterator[Path]:
    """Yield an empty folder to write to; it becomes `target` when the block ends well, and vanishes when it raises."""
    target = Path(target)
    partial = target.with_name(f".{os.getpid()}.{target.name}")
    try:
        partial.mkdir(parents=True)
        yield partial
        shutil.rmtree(target, ignore_errors=True)
        os.replace(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def check_writable(folder: Path) -> None:
    """Raise WriteError unless files can be made in `folder`, which need not be there yet."""
    there = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise WriteError(f"{folder} cannot be written ({there} is no folder that you may write to): see to it first.")


def remove_partials(folder: Path) -> int:
    """Remove what writers that were killed left below a folder; how many. No writer may be at work there."""
    left = [path for path in folder.rglob(".*") if re.match(r"\.\d+\.", path.name)]
    for path in left:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return len(left)


def write_parquet(table: "pd.DataFrame", target: Path | str) -> None:
    """Write a frame as parquet, whole or not at all."""
    with whole_file(target) as partial:
        table.to_parquet(partial, index=False)


def write_text(text: str, target: Path | str) -> None:
    """Write text, whole or not at all."""
    with whole_file(target) as partial:
        partial.write_text(text)

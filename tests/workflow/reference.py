"""What a local run of the smoke preset made, by digest: `make test` keeps it, and slow tests compare with it."""

import json
from hashlib import sha256
from pathlib import Path

from tests.conftest import ROOT
from tests.workflow.project import COPIED

KEPT = ROOT / ".smoke.json"
NOT_COMPARED = {"logs", "benchmarks", "provenance.json"}  # they tell of the run, not of the result


def digest(file: Path) -> str:
    """SHA-256 of a file."""
    return sha256(file.read_bytes()).hexdigest()


def digests(results: Path) -> dict[str, str]:
    """SHA-256 of every result in a results folder, by its path there."""
    files = (file for file in sorted(results.rglob("*")) if file.is_file())
    named = ((file.relative_to(results), file) for file in files)
    return {str(name): digest(file) for name, file in named if name.parts[0] not in NOT_COMPARED}


def sources() -> str:
    """One digest of everything that a run is made from."""
    files = sorted(f for name in [*COPIED, "src"] for f in [ROOT / name, *(ROOT / name).rglob("*")] if f.is_file())
    kept = [f"{f.relative_to(ROOT)} {digest(f)}" for f in files if f.suffix != ".pyc" and "egg-info" not in str(f)]
    return sha256("\n".join(kept).encode()).hexdigest()


def keep(results: Path) -> None:
    """Remember a local run's results for as long as the sources stay as they are."""
    KEPT.write_text(json.dumps({"sources": sources(), "results": digests(results)}, indent=1))


def kept() -> dict[str, str] | None:
    """Results of the last local run from these sources; None when there was none."""
    content = json.loads(KEPT.read_text()) if KEPT.is_file() else {"sources": None}
    results: dict[str, str] | None = content["results"] if content["sources"] == sources() else None
    return results

"""Where a run's results come from: versions, machine, config, seeds, state of the repository, durations."""

import json
import os
import platform
import subprocess
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from forgetting.config import Config
from forgetting.whole import write_text

FILE = "provenance.json"


def git(*arguments: str, here: Path = Path()) -> str | None:
    """What git says; None where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=here, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def durations(benchmarks: Path) -> dict[str, float]:
    """Seconds that each job took, by the name of its benchmark file."""
    found = {}
    for file in sorted(benchmarks.rglob("*.tsv")):
        names, values = (line.split("\t") for line in file.read_text().splitlines()[:2])
        name = str(file.relative_to(benchmarks).with_suffix(""))
        found[name] = float(dict(zip(names, values, strict=True))["s"])
    return found


def provenance(config: Config, results: Path) -> dict[str, Any]:
    """All of it. The durations are those of the last run of each job, whichever run that was."""
    values = config.model_dump(mode="json")
    changes = git("status", "--porcelain")
    return {
        "git": {
            "commit": git("rev-parse", "HEAD"),
            "changed_files": None if changes is None else len(changes.splitlines()),
        },
        "config": values,
        "config_sha256": sha256(json.dumps(values, sort_keys=True).encode()).hexdigest(),
        "seeds": {"base": list(config.base.seeds), "mixture": config.mixture.seed, "anchors": config.anchors.seed},
        "machine": {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()},
        "python": platform.python_version(),
        "packages": dict(sorted((d.metadata["Name"], d.version) for d in distributions())),
        "jobs": durations(results / "benchmarks"),
    }


def keep(config: Config, results: Path) -> None:
    """Write it to provenance.json in a results folder; never an input of anything, for it differs from run to run."""
    write_text(json.dumps(provenance(config, results), indent=1) + "\n", results / FILE)

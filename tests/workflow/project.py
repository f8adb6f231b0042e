"""A copy of the project in a folder of its own, in which the real DAG is run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

COPIED = ["Snakefile", "CITATION.cff", "config.yaml", "config", "workflow", "profiles", "paper"]
PLAIN, MAKE_PAPER = "snakemake", "forgetting.run"  # modules: what users start by hand, and what `make paper` does


class Project:
    """The project at `root`: its own code (edits take effect), the shipped images linked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        for name in COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
        leave = shutil.ignore_patterns("images", "__pycache__")
        shutil.copytree(ROOT / "src", root / "src", ignore=leave)
        (root / "src/forgetting/images").symlink_to(ROOT / "src/forgetting/images")

    def start(
        self, *arguments: str, cores: int = 2, module: str = PLAIN, output: int = subprocess.DEVNULL
    ) -> subprocess.Popen[str]:
        """Start Snakemake and go on."""
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src")}
        environment.pop("OMP_NUM_THREADS", None)
        command = [sys.executable, "-m", module, "--cores", str(cores), *arguments]
        return subprocess.Popen(
            command, cwd=self.root, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True
        )

    def snakemake(self, *arguments: str, cores: int = 2, rc: int = 0, module: str = PLAIN) -> str:
        """Run Snakemake; its output. Fails unless it exits with `rc`."""
        process = self.start(*arguments, cores=cores, module=module, output=subprocess.PIPE)
        output, _ = process.communicate()
        assert process.returncode == rc, output[-6000:]
        return output

    def would_run(self, *arguments: str) -> dict[str, int]:
        """Jobs that a dry run announces, by rule; empty when there is nothing to do."""
        lines = self.snakemake("--dry-run", "--quiet=rules", *arguments).splitlines()
        if not any(line.startswith("Job stats") for line in lines):
            return {}
        start = max(i for i, line in enumerate(lines) if line.startswith("Job stats"))
        table = (line.split() for line in lines[start + 3 :])
        counts = {}
        for row in table:
            if len(row) != 2 or row[0] == "total":
                break
            counts[row[0]] = int(row[1])
        return counts

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace text in a file."""
        file = self.root / path
        text = file.read_text()
        assert old in text, f"{old!r} is not in {path}"
        file.write_text(text.replace(old, new, 1))

    def bytes_of(self, *paths: str) -> dict[str, bytes]:
        """Contents of files below the root."""
        return {path: (self.root / path).read_bytes() for path in paths}

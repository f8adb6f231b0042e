"""A small experiment whose training can be held in the middle, so that a fault comes at a known moment."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.workflow.project import Project
from tests.workflow.reference import digests

CONFIG = """
preset: tiny
data: {digits: 640, test_images: 100}
base: {seeds: [0], images: 200, epochs: 2}
finetuning:
  learning_rates: {low: 1.0e-4, high: 1.0e-3, count: 2}
  checkpoints: 2
methods:
  held: {objective: "my_file:held"}
"""
METHOD = '''
import os
import time
from pathlib import Path

import torch.nn.functional as F


def held(policy, batch):
    """SFT-1. The first process that finds a file `hold` leaves its number in `holding`, and goes no further."""
    if Path("hold").exists() and not Path("holding").exists():
        Path(".holding").write_text(str(os.getpid()))
        Path(".holding").rename("holding")
        while True:
            time.sleep(0.1)
    return F.cross_entropy(policy(batch.x), batch.parity)
'''
RUN = ("results/tiny/points.parquet", "--configfile", "tiny.yaml")


def until(happens: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Wait for it; fails after `seconds`."""
    limit = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < limit, f"not within {seconds} s: {what}"
        time.sleep(0.1)


def alive(process: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


class Held(Project):
    """The project with two methods, one of which waits to be killed when it is told to."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        (root / "tiny.yaml").write_text(CONFIG)
        (root / "my_file.py").write_text(METHOD)
        config = (root / "config.yaml").read_text().splitlines(keepends=True)
        others = ("sft_2:", "sft_oracle:", "grpo:", "grpo_kl:")
        (root / "config.yaml").write_text("".join(line for line in config if not line.lstrip().startswith(others)))

    def hold(self) -> None:
        """From now on one training stops in the middle."""
        (self.root / "holding").unlink(missing_ok=True)
        (self.root / "hold").touch()

    def held(self) -> int:
        """Process number of the training that stopped in the middle, once it has."""
        file = self.root / "holding"
        until(file.exists, "a training in the middle", 120)
        (self.root / "hold").unlink()
        return int(file.read_text())

    def results(self) -> dict[str, str]:
        """Digests of everything that was made."""
        return digests(self.root / "results/tiny")

    def times(self) -> dict[str, int]:
        """When each result was written."""
        return {name: (self.root / "results/tiny" / name).stat().st_mtime_ns for name in self.results()}


def kill(process: int) -> None:
    """kill -9."""
    os.kill(process, signal.SIGKILL)
    until(lambda: not alive(process), f"end of process {process}")

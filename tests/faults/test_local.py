"""kill -9, full disks and second runs on one machine: the same command again ends with the same bytes."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workflow.held import RUN, Held, alive, kill, until
from tests.workflow.project import MAKE_PAPER

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    project = Held(tmp_path_factory.mktemp("undisturbed") / "project")
    project.snakemake(*RUN, module=MAKE_PAPER)
    return project.results()


@pytest.fixture
def project(tmp_path: Path) -> Held:
    return Held(tmp_path / "project")


def test_killed_training(project: Held, undisturbed: dict[str, str]):
    project.hold()
    run = project.start(*RUN, module=MAKE_PAPER)
    kill(project.held())
    assert run.wait() == 1
    left, times = project.results(), project.times()
    assert "points.parquet" not in left and left.items() < undisturbed.items()
    project.snakemake(*RUN, module=MAKE_PAPER)
    assert project.results() == undisturbed
    assert times.items() <= project.times().items()  # what was finished is not done again


def test_killed_snakemake_and_its_orphan(project: Held, undisturbed: dict[str, str]):
    project.hold()
    run = project.start(*RUN, cores=1, module=MAKE_PAPER)
    orphan = project.held()
    kill(run.pid)
    run.wait()
    times = project.times()
    assert alive(orphan)
    half = project.root / f"results/tiny/trainings/held/.{orphan}.0.parquet"
    half.parent.mkdir(parents=True, exist_ok=True)
    half.write_bytes(b"half")
    refused = project.snakemake(*RUN, rc=1)
    assert "locked" in refused  # plain Snakemake asks; `make paper` knows
    output = project.snakemake(*RUN, module=MAKE_PAPER)
    assert "processes that a killed run left" in output and "unlocking" in output
    assert not alive(orphan) and not half.exists()
    assert project.results() == undisturbed
    assert times.items() <= project.times().items()
    assert "Nothing to be done" in project.snakemake(*RUN, module=MAKE_PAPER)


@pytest.mark.parametrize("first", [MAKE_PAPER, "snakemake"])
def test_second_run_in_one_folder_is_refused(project: Held, undisturbed: dict[str, str], first: str):
    project.hold()
    run = project.start(*RUN, module=first)
    orphan = project.held()
    refused = project.snakemake(*RUN, module=MAKE_PAPER, rc=1)
    assert f"process {run.pid}" in refused and "is at work in" in refused and "Traceback" not in refused
    assert run.poll() is None and alive(orphan)
    kill(orphan)
    run.wait()
    project.snakemake(*RUN, module=MAKE_PAPER)
    assert project.results() == undisturbed


@pytest.fixture
def small_disk(project: Held) -> Iterator[Path]:
    """A disk of one megabyte in the place of the results."""
    disk = project.root / "results"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_full_disk(project: Held, small_disk: Path, undisturbed: dict[str, str]):
    output = project.snakemake(*RUN, module=MAKE_PAPER, rc=1)
    assert "No space left on device): make room, and run the same command again." in output
    assert project.results() == {}  # nothing half-written, and no hidden rest
    subprocess.run(["mount", "-o", "remount,size=50m", str(small_disk)], check=True)
    project.snakemake(*RUN, module=MAKE_PAPER)
    assert project.results() == undisturbed


def test_unwritable_results_are_refused_before_any_job(project: Held):
    (project.root / "results").write_text("a file in the way")
    output = project.snakemake(*RUN, module=MAKE_PAPER, rc=1)
    assert "results/tiny cannot be written" in output and "Traceback" not in output and "rule " not in output


def test_orphans_are_known_by_their_folder(tmp_path: Path):
    """Only what was started by a run in this very folder is ended."""
    from forgetting.run import MARK, end_orphans, orphans

    here, elsewhere = tmp_path / "here", tmp_path / "here and there"
    ours, others = (
        subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: str(folder)}) for folder in (here, elsewhere)
    )
    until(lambda: orphans(here) == [ours.pid], "the orphan")
    assert end_orphans(here) == 1
    assert ours.wait() == -9 and others.poll() is None and orphans(here) == []
    others.kill()
    others.wait()

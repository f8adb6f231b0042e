"""What a cluster does to jobs: limits of time and memory, failures, silence, kill -9 of a job and of Snakemake."""

import os
from pathlib import Path

import pytest

from tests.cluster.slurm import QUICK, Slurm
from tests.conftest import ROOT
from tests.workflow.held import RUN, Held, alive, kill, until
from tests.workflow.project import MAKE_PAPER, Project

pytestmark = pytest.mark.slow


@pytest.fixture
def faulty(tmp_path: Path) -> Project:
    """The project with four jobs to which something happens in the place of its own."""
    project = Project(tmp_path / "project")
    (project.root / "Snakefile").write_text((ROOT / "tests/cluster/faults.smk").read_text())
    return project


def test_too_long_and_too_big_jobs_are_sent_again_with_more(slurm: Slurm, faulty: Project):
    before = slurm.jobs()
    faulty.snakemake("ends", *QUICK)
    assert (faulty.root / "too_long").read_text() == "2\n"  # minutes
    assert int((faulty.root / "too_big").read_text()) > 700
    states = [state for job, state in slurm.jobs().items() if job not in before]
    assert "TIMEOUT" in states and states.count("COMPLETED") == 2


def test_a_failing_job_surfaces_with_its_log(slurm: Slurm, faulty: Project):
    output = faulty.snakemake("fails", *QUICK, rc=1)
    assert "what went wrong" in output and "Error in rule fails" in output
    assert (faulty.root / "tries").read_text() == "once\n" * 3  # the first and two retries
    assert not (faulty.root / "fails").exists()


def test_a_job_of_which_nothing_is_known_is_no_failure(slurm: Slurm, faulty: Project, monkeypatch: pytest.MonkeyPatch):
    """The controller is silent, and the accounts, which are asked then, do not know the job."""
    accounts = faulty.root / "bin/sacct"
    accounts.parent.mkdir()
    accounts.write_text("#!/bin/sh\n")
    accounts.chmod(0o755)
    monkeypatch.setenv("PATH", f"{accounts.parent}:{os.environ['PATH']}")
    run = faulty.start("patient", *QUICK)
    until((faulty.root / "patient_tries").exists, "the job", 120)
    slurm.stop_controller()
    until(lambda: slurm.run("squeue", check=False) == "", "silence")
    assert run.poll() is None
    until((faulty.root / "patient").exists, "end of the job, unseen", 60)
    slurm.start_controller()
    assert run.wait() == 0
    assert (faulty.root / "patient_tries").read_text() == "once\n"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    project = Held(tmp_path_factory.mktemp("undisturbed") / "project")
    project.snakemake(*RUN)
    return project.results()


def test_killed_job_is_sent_again(slurm: Slurm, tmp_path: Path, undisturbed: dict[str, str]):
    project = Held(tmp_path / "project")
    project.hold()
    run = project.start(*RUN, *QUICK, module=MAKE_PAPER)
    kill(project.held())
    assert run.wait() == 0
    assert project.results() == undisturbed


def test_no_shell_runs_what_a_name_says(slurm: Slurm, tmp_path: Path, undisturbed: dict[str, str]):
    """The command of a job goes through sbatch, srun and two shells, with the folder and the config in it."""
    project = Held(tmp_path / "$(touch hurt) `touch hurt` two  spaces" / "project")
    project.snakemake(*RUN, *QUICK, module=MAKE_PAPER)
    assert project.results() == undisturbed
    assert not [*tmp_path.rglob("hurt"), *Path.home().glob("hurt"), *Path().glob("hurt")]


def test_killed_snakemake_leaves_no_second_writer(slurm: Slurm, tmp_path: Path, undisturbed: dict[str, str]):
    project = Held(tmp_path / "project")
    project.hold()
    run = project.start(*RUN, *QUICK, module=MAKE_PAPER)
    job = project.held()
    kill(run.pid)
    run.wait()
    assert alive(job) and "RUNNING" in slurm.jobs().values()
    output = project.snakemake(*RUN, *QUICK, module=MAKE_PAPER)
    assert "jobs in Slurm's queue that a killed run left" in output
    assert not alive(job) and "CANCELLED" in slurm.jobs().values()
    assert project.results() == undisturbed


def test_other_schedulers_by_three_commands(slurm: Slurm, tmp_path: Path, undisturbed: dict[str, str]):
    """The profile for cluster-generic; its status command calls a job that nobody knows running."""
    project = Held(tmp_path / "project")
    asking = ("--seconds-between-status-checks", "1", "--latency-wait", "10")
    project.snakemake(*RUN, "--workflow-profile", "profiles/cluster-generic", *asking)
    assert project.results() == undisturbed
    assert slurm.run(str(project.root / "profiles/cluster-generic/status.sh"), "999999") == "running\n"

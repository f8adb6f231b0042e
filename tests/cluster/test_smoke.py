"""The smoke preset on a real Slurm, through the profile: the bytes are those of a local run."""

from pathlib import Path

import pytest

from tests.cluster.slurm import QUICK, Slurm
from tests.workflow import reference
from tests.workflow.project import MAKE_PAPER, Project

pytestmark = pytest.mark.slow
SMOKE = ("--configfile", "config/smoke.yaml")


@pytest.fixture
def local(tmp_path: Path) -> dict[str, str]:
    """Digests of a local run's results: that of `make test`, or one made now."""
    if reference.kept() is None:
        project = Project(tmp_path / "local" / "project")
        project.snakemake(*SMOKE)
        reference.keep(project.root / "results/smoke")
    return reference.kept() or {}


def test_smoke_preset_on_slurm(slurm: Slurm, tmp_path: Path, local: dict[str, str]):
    project, before = Project(tmp_path / "on slurm" / "project"), slurm.jobs().keys()
    project.snakemake(*SMOKE, *QUICK, module=MAKE_PAPER)
    made = reference.digests(project.root / "results/smoke")
    assert len(local) > 20 and sorted(made) == sorted(local)
    assert [name for name in local if made[name] != local[name]] == []
    states = {job: state for job, state in slurm.jobs().items() if job not in before}  # other tests' jobs aside
    assert len(states) > 20 and set(states.values()) == {"COMPLETED"}
    assert "Nothing to be done" in project.snakemake(*SMOKE, *QUICK, module=MAKE_PAPER)

"""One test cluster for all tests here; skipped with a plain reason, or failed where the tests must run."""

import os
from collections.abc import Iterator

import pytest

from tests.cluster.slurm import Slurm, why_not


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    if reason := why_not():
        (pytest.fail if os.environ.get("REQUIRE_CLUSTER") else pytest.skip)(f"no Slurm to test on: {reason}")
    cluster = Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()

"""Small, real tasks for the unit tests."""

import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import hypothesis
import pytest
import torch

from forgetting import data, seeds
from forgetting.base import pretrain
from forgetting.data import Tasks
from forgetting.points import Baseline
from forgetting.policy import Policy

ROOT = Path(__file__).parents[1]
# The same examples everywhere, and no time limit for one: a busy machine is no counterexample.
hypothesis.settings.register_profile("here", deadline=None, derandomize=True)
hypothesis.settings.load_profile("here")
PRETRAINING = {
    "images": 300,
    "epochs": 6,
    "learning_rate": 1e-3,
    "schedule": "cosine",
    "warmup": 0.1,
    "batch_size": 64,
    "weight_decay": 0.0,
    "labels": "redrawn",
}


def shifted(policy: Policy, scale: float, *path: str) -> Policy:
    """A copy of the policy with noise of this scale added to every weight and bias, from the stream at `path`."""
    moved, draw = policy.copy(), seeds.generator(*path)
    for parameter in moved.parameters():
        parameter.data += scale * torch.randn(parameter.shape, generator=draw)
    return moved


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def npz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """640 training digits, 200 test images of each task, from the shipped files."""
    path = tmp_path_factory.mktemp("data") / "data.npz"
    data.prepare(path, source="bundled", folder=None, cache=path.parent, digits=640, test_images=200)
    return path


@pytest.fixture(scope="session")
def tasks(npz: Path) -> Tasks:
    return data.load(npz)


@pytest.fixture(scope="session")
def base(tasks: Tasks) -> Policy:
    return pretrain(tasks, 0, **PRETRAINING)


@pytest.fixture(scope="session")
def baseline(base: Policy, tasks: Tasks) -> Baseline:
    return Baseline.of(base, tasks)

"""What a user does and gets wrong: a method of their own, a diverging training, bad input on the command line."""

import gzip
import shutil
from pathlib import Path

import pandas as pd
import pytest

from forgetting.sources import BUNDLED
from tests.workflow.project import Project

TINY = """
preset: tiny
data: {digits: 640, test_images: 100}
base: {seeds: [0], images: 200, epochs: 5}
finetuning:
  learning_rates: {low: 1.0e-3, high: 1.0e+3, count: 2}
  schedules: [constant]
  checkpoints: 2
  keep_checkpoints: final
methods:
  my_method: {objective: "my_file:my_objective", options: {sharpness: 2.0}}
regression: {resamples: 50}
"""
TARGETS = [f"results/tiny/{name}" for name in ("tables/r2.csv", "tables/predictors.tex", "figures/parity.pdf")]
MINE = """
import torch.nn.functional as F


def my_objective(policy, batch, *, sharpness=1.0):
    return F.cross_entropy(sharpness * policy(batch.x), batch.parity)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("user") / "a folder with spaces & $(signs)")
    (project.root / "tiny.yaml").write_text(TINY)
    for line in (project.root / "config.yaml").read_text().splitlines(keepends=True):
        if line.lstrip().startswith(("sft_2:", "sft_oracle:", "grpo:", "grpo_kl:")):
            project.edit("config.yaml", line, "")  # an overlay adds methods and takes none away
    (project.root / "my_file.py").write_text(MINE)
    project.snakemake(*TARGETS, "--configfile", "tiny.yaml")
    return project


def test_own_method_takes_part(project: Project):
    points = pd.read_parquet(project.root / "results/tiny/points.parquet")
    assert (points["method"] == "my_method").sum() == 4
    assert (project.root / "results/tiny/figures/parity.pdf").is_file()
    text = (project.root / "results/tiny/notebooks/parity.ipynb").read_text()
    assert "my_file" not in text  # the notebook knows methods by their names


def test_editing_the_own_file_retrains_that_method(project: Project):
    project.edit("my_file.py", "sharpness=1.0", "sharpness=1.5")
    planned = project.snakemake(*TARGETS, "--dry-run", "--configfile", "tiny.yaml")
    project.edit("my_file.py", "sharpness=1.5", "sharpness=1.0")
    assert "method=my_method" in planned and "method=sft_1" not in planned


def test_diverged_trainings_are_kept_marked_and_counted(project: Project):
    points = pd.read_parquet(project.root / "results/tiny/points.parquet")
    wild = points["learning_rate"] == 1e3
    assert len(points) == 2 * 2 * 2 and points.loc[wild, "diverged"].all()
    r2 = pd.read_csv(project.root / "results/tiny/tables/r2.csv")
    everything = r2[r2["points"] == "all"]
    assert (everything["n_diverged"] == points["diverged"].sum()).all()
    assert (everything["n"] == (~points["diverged"]).sum()).all()
    assert f"{points['diverged'].sum()} diverged" in (project.root / "results/tiny/tables/predictors.tex").read_text()


def test_final_weights_are_kept_when_asked(project: Project):
    kept = list((project.root / "results/tiny/checkpoints/my_method/0").glob("*.safetensors"))
    assert len(kept) == 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("colour=blue", "colour: unknown key"),
        ("finetuning={epoch: [1]}", "finetuning.epoch: unknown key; did you mean epochs?"),
        ("base={learning_rate: 0}", "base.learning_rate: Input should be greater than 0"),
        ("methods={new: {objective: gpro}}", "unknown objective 'gpro'"),
        ("data={source: folder, folder: nowhere}", "data.folder is nowhere, which is not a folder"),
    ],
)
def test_bad_config_is_refused_before_any_job(project: Project, config: str, message: str):
    output = project.snakemake("--configfile", "tiny.yaml", "--config", config, rc=1)
    assert message in output
    assert "Traceback" not in output and "rule " not in output


def test_flipped_byte_is_refused_before_any_job(project: Project, tmp_path: Path):
    for name in ("mnist", "fashion-mnist"):
        shutil.copytree(BUNDLED / name, tmp_path / name)
    shutil.copytree(BUNDLED / "fashion-mnist-10k", tmp_path / "fashion-mnist", dirs_exist_ok=True)
    path = tmp_path / "mnist/train-images-idx3-ubyte.gz"
    content = bytearray(gzip.decompress(path.read_bytes()))
    content[5_000] ^= 1
    path.write_bytes(gzip.compress(bytes(content), 1))
    output = project.snakemake("--config", "preset=other", f"data={{source: folder, folder: {tmp_path}}}", rc=1)
    assert "train-images-idx3-ubyte.gz has the wrong content" in output
    assert not (project.root / "results/other").exists()


def test_no_network_is_one_sentence(project: Project):
    project.edit("src/forgetting/sources.py", "https://ossci-datasets.s3.amazonaws.com/", "https://127.0.0.1:9/")
    project.edit("src/forgetting/sources.py", "https://storage.googleapis.com/", "https://127.0.0.1:9/")
    output = project.snakemake("results/tiny2/data.npz", "--config", "preset=tiny2", "data={source: download}", rc=1)
    assert "Could not download mnist/train-images-idx3-ubyte.gz" in output and "check the network" in output
    assert not (project.root / "results/tiny2/data.npz").exists()

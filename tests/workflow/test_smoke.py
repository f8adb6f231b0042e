"""The smoke preset, run for real: complete, repeatable, and nothing is done twice."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
import pytest
import yaml

from forgetting.config import validate
from tests.unit.test_config import DEFAULT, overlaid
from tests.workflow import reference
from tests.workflow.project import Project

SMOKE = ("--configfile", "config/smoke.yaml")
RESULTS = "results/smoke"

JUDGED = {"predictors", "parity_checks", "claims", "numbers", "figure"}  # what follows from new fits
TRAINED = {"finetune", "retain", "distil", "align", "limits", "cells"}  # what measures distances


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """The project after one run of the smoke preset, and what that run said."""
    project = Project(tmp_path_factory.mktemp("smoke") / "project")
    output = project.snakemake(*SMOKE)
    reference.keep(project.root / RESULTS)  # the slow tests compare with it
    return project, output


@pytest.fixture(scope="module")
def project(first_run: tuple[Project, str]) -> Project:
    return first_run[0]


@contextmanager
def edited(project: Project, path: str, old: str, new: str) -> Iterator[None]:
    project.edit(path, old, new)
    try:
        yield
    finally:
        project.edit(path, new, old)


def test_points_are_the_configs_product(project: Project):
    config = validate(overlaid(DEFAULT, yaml.safe_load((project.root / "config/smoke.yaml").read_text())))
    points = pd.read_parquet(project.root / RESULTS / "points.parquet")
    assert len(points) == len(config.trainings()) * config.finetuning.checkpoints
    assert set(points["method"]) == set(DEFAULT["methods"])
    assert not points["diverged"].any()
    assert points["parity_accuracy"].between(0.5, 1).all()


def test_training_teaches_parity_and_forgets_clothes(project: Project):
    points = pd.read_parquet(project.root / RESULTS / "points.parquet")
    strongest = (
        points[points["learning_rate"] == points["learning_rate"].max()].groupby("method").mean(numeric_only=True)
    )
    assert (strongest["parity_accuracy"] > 0.9).all()
    assert strongest.loc["sft_1", "forgetting"] > strongest.loc["sft_oracle", "forgetting"] + 0.2


def test_headline_and_where_to_look(first_run: tuple[Project, str]):
    project, output = first_run
    r2 = pd.read_csv(project.root / RESULTS / "tables/r2.csv").set_index(["predictor", "inputs", "points"])
    headline = r2.loc[("forward_kl", "new", "all")]
    assert f"R2 = {headline['r2']:.3f}" in output
    assert headline["low"] <= headline["r2"] <= headline["high"]
    assert "mixture, 13 claims:" in output and f"tables/ in {RESULTS}/" in output


def test_logs_and_benchmarks_of_every_job(project: Project):
    for kind, suffix in (("logs", "log"), ("benchmarks", "tsv")):
        for name in ("images", "points", "regression", "predictors", "base/0", "finetune/grpo/1", "notebooks/parity"):
            assert (project.root / RESULTS / kind / f"{name}.{suffix}").is_file()


def test_provenance_of_the_run(project: Project):
    kept = json.loads((project.root / RESULTS / "provenance.json").read_text())
    assert kept["config"]["preset"] == "smoke" and kept["jobs"]["finetune/grpo/1"] > 0


def test_report_holds_everything_and_needs_nothing_else(project: Project):
    project.snakemake("report", "crate", *SMOKE)
    html = (project.root / RESULTS / "report.html").read_text()
    r2 = pd.read_csv(project.root / RESULTS / "tables/r2.csv").query("points == 'all'").iloc[0]
    assert f"R2 = {r2['r2']:.3f}" in html  # the front page
    for kind, name in {"figures": "png", "tables": "csv", "report": "html"}.items():
        for file in (project.root / RESULTS / kind).glob(f"*.{name}"):
            assert file.name in html
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=[\"']https?:", html)
    described = json.loads((project.root / RESULTS / "ro-crate-metadata.json").read_text())["@graph"]
    assert {"claims.csv", "points.parquet", "figures/parity.pdf"} <= {entry["@id"] for entry in described}


def test_second_run_has_nothing_to_do(project: Project):
    assert "Nothing to be done" in project.snakemake(*SMOKE)


@pytest.mark.parametrize(
    ("path", "old", "new", "runs"),
    [
        (
            "src/forgetting/regression.py",
            '"""How well',
            '"""Of how well',
            {"regression", "statistics", "retention", "multiverse", "language", *JUDGED},
        ),
        ("workflow/notebooks/parity.py", "alpha=0.5", "alpha=0.6", {"figure"}),
        ("src/forgetting/figures.py", 'savefig.dpi": 200', 'savefig.dpi": 300', {"figure"}),
        (
            "src/forgetting/distances.py",
            "in nats, mean over inputs;",
            "in nats, averaged over inputs;",
            {
                *TRAINED,
                "points",
                "retained",
                "gathered_cells",
                "mechanism",
                "bases",
                "regression",
                "statistics",
                "retention",
                "multiverse",
                *JUDGED,
            },
        ),
    ],
)
def test_an_edit_runs_what_uses_it_and_no_more(project: Project, path: str, old: str, new: str, runs: set[str]):
    with edited(project, path, old, new):
        assert set(project.would_run(*SMOKE)) - {"all", "paper"} == runs
    assert project.would_run(*SMOKE) == {}


def test_editing_one_family_simulates_one_family(project: Project):
    with edited(project, "src/forgetting/mixture/chen.py", '"""', '""" '):
        planned = project.would_run(*SMOKE)
    assert planned.pop("paper", 1) == 1  # where there is TeX
    assert planned == {"mixture": 1, "claims": 1, "numbers": 1, "figure": 1, "all": 1}


def test_kl_coefficient_retrains_one_method(project: Project):
    with edited(project, "config.yaml", "kl: 0.1,", "kl: 0.2,"):
        planned = project.would_run(*SMOKE)
        dry_run = project.snakemake("--dry-run", *SMOKE)
    assert planned["finetune"] == 2  # base seeds
    assert "base" not in planned and "images" not in planned
    assert "method=grpo_kl" in dry_run
    assert not any(f"method={method}," in dry_run for method in ("grpo", "sft_1", "sft_2", "sft_oracle"))


def test_published_points_give_the_same_tables_without_training(project: Project):
    """Publish the run, rebuild from it, verify it; the rest of the figures is only planned."""
    project.snakemake("publish", *SMOKE)
    again = (*SMOKE, "--config", "points=published")
    trains = {"images", "base", "finetune", "mixture", "anchors", "distil", "align", "retain", "limits", "cells"}
    assert not trains & set(project.would_run("figures", "tables", *again))
    tables = ["claims.csv", "tables/predictors.tex", "tables/held_out.csv", "figures/simplex.png"]
    project.snakemake(*(f"results/from-published/{name}" for name in tables), *again)
    for name in tables:
        ours, theirs = ((project.root / folder / name).read_bytes() for folder in ("results/from-published", RESULTS))
        assert ours == theirs, name
    assert "files are as published" in project.snakemake("verify", *SMOKE)


def test_what_moved_too_far_is_printed_and_fails(project: Project):
    kept = project.root / "results/published/points.parquet"
    before = kept.read_bytes()
    points = pd.read_parquet(kept)
    points.loc[3, "forgetting"] += 0.5
    points.to_parquet(kept, index=False)
    assert "forgetting: by up to 0.5 in 1 rows, most in row 3, TOO FAR" in project.snakemake("verify", *SMOKE, rc=1)
    kept.write_bytes(before)

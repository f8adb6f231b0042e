"""The language line in the DAG: the published model's preset, and a run without the line."""

import pytest

from tests.workflow.project import Project

SMOKE = ("--configfile", "config/smoke.yaml")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("language") / "project")


def test_the_published_models_preset_plans_its_jobs(project: Project):
    (project.root / "data").mkdir()
    (project.root / "data/new_task.jsonl").touch()
    planned = project.would_run("language", "--configfile", "config/qwen.yaml")
    line = {"language_base": 1, "language_finetune": 1, "language_points": 1, "language": 1}
    assert planned == line


def test_without_the_new_task_it_is_refused_in_a_sentence(project: Project):
    (project.root / "data/new_task.jsonl").unlink(missing_ok=True)
    refused = project.snakemake("-n", "language", "--configfile", "config/qwen.yaml", rc=1)
    assert "language: data (data/new_task.jsonl) is no file" in refused


def test_switched_off_nothing_of_it_is_planned(project: Project):
    on = project.would_run(*SMOKE)
    off = project.would_run(*SMOKE, "--config", "language={enabled: false}")
    assert {"language_base", "language_finetune", "language"} <= set(on)
    assert not any(rule.startswith("language") for rule in off)
    assert set(on) - set(off) == {"language_base", "language_finetune", "language_points", "language"}
    assert on["figure"] == off["figure"] + 2

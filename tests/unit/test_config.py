"""Bad input is refused before anything runs, in a sentence that says what, where and what to do."""

import json
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from forgetting import config, registry
from forgetting.config import ConfigError, LearningRates, check_images, validate
from tests.conftest import ROOT

DEFAULT: dict[str, Any] = yaml.safe_load((ROOT / "config.yaml").read_text())


def changed(path: str, value: object) -> dict[str, Any]:
    values = deepcopy(DEFAULT)
    section = values
    *parents, last = path.split(".")
    for key in parents:
        section = section[key]
    section[last] = value
    return values


def overlaid(base: dict[str, Any], overlay: dict[str, Any]) -> dict[str, Any]:
    """As Snakemake merges --configfile: dicts are merged, all else is replaced."""
    merged = {k: overlaid(base[k], v) if isinstance(v, dict) and k in base else v for k, v in overlay.items()}
    return {**base, **merged}


@pytest.mark.parametrize("overlay", [None, "smoke", "paper"])
def test_presets_are_valid(overlay: str | None):
    values = overlaid(DEFAULT, yaml.safe_load((ROOT / f"config/{overlay}.yaml").read_text())) if overlay else DEFAULT
    assert validate(values).preset == (overlay or "default")
    jsonschema.validate(json.loads(json.dumps(values)), json.loads(config.schema()))


def test_paper_preset_is_the_published_grid():
    paper = validate(overlaid(DEFAULT, yaml.safe_load((ROOT / "config/paper.yaml").read_text())))
    assert len(paper.trainings()) == 60 * len(paper.methods) * len(paper.base.seeds)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("finetuning.epoch", 1, r"finetuning\.epoch: unknown key; did you mean epochs\?"),
        ("colour", "blue", r"colour: unknown key; known here: preset, points, data, base"),
        ("methods.grpo.optoins", {}, r"methods\.grpo\.optoins: unknown key; did you mean options\?"),
        ("finetuning.learning_rates.low", 0, r"finetuning\.learning_rates\.low: .*greater than 0 \(it is 0\)"),
        ("finetuning.learning_rates.low", 1.0, r"finetuning\.learning_rates: low \(1\.0\) is above high \(0\.001\)"),
        ("base.learning_rate", float("inf"), r"base\.learning_rate: .*finite|less than"),
        ("data.digits", 60_001, r"data\.digits: .*less than or equal to 60000"),
        ("data.source", "web", r"data\.source: .*'bundled', 'download' or 'folder'"),
        ("data.source", "folder", r"data\.folder must be set"),
        (
            "methods.new",
            {"objective": "gpro"},
            r"methods\.new: unknown objective 'gpro': objectives\.py has grpo, sft_1",
        ),
        ("methods.new", {"objective": "no_file:f"}, r"methods\.new: .*no module 'no_file'"),
        (
            "methods.grpo.options",
            {"groups": 4},
            r"methods\.grpo: objective 'grpo' has no option groups: it takes advantage",
        ),
        (
            "methods.sft_2.options",
            {"labels": "never"},
            r"methods\.sft_2: objective 'sft_2': labels is 'never', not one of redrawn, once",
        ),
        ("methods", {}, r"methods: .*at least 1"),
        ("methods.bad name", {"objective": "sft_1"}, r"methods.*pattern"),
        ("base.seeds", [], r"base\.seeds: .*at least 1"),
        ("finetuning.checkpoints", 0, r"finetuning\.checkpoints: .*greater than or equal to 1"),
        ("finetuning.batch_size", 30_000, r"finetuning\.checkpoints \(8\) is more than the 1 steps"),
        ("language.model", "some/hub-id", r"language: .*one seed and no unready base"),
        ("language.data", "task.jsonl", r"language: .*generated tasks: data must be null"),
        ("language.pretraining.heads", 5, r"language\.pretraining: width \(64\) is not a multiple of twice the heads"),
        (
            "language.finetuning.device_batch",
            5,
            r"language\.finetuning: batch_size \(64\) is no multiple of device_batch",
        ),
        ("language.finetuning.checkpoints", 40, r"checkpoints \(40\) are more than half the steps \(60\)"),
        ("language.methods.grpo.options", {"group": 8}, r"language\.methods\.grpo: trainer grpo takes .* group, kl"),
        ("language.methods.grpo.options", {"group": 5, "kl": 0.0}, r"language: .*no multiple of the group \(5\)"),
        ("language.methods.sft_1.options", {"demonstrations": 3}, r"demonstrations of trainer sft must be of type str"),
        ("base.images", 9_999_999, r"base\.images: .*less than or equal to 10000"),
    ],
)
def test_refused_in_one_sentence(path: str, value: object, message: str):
    with pytest.raises(ConfigError, match=message) as refusal:
        validate(changed(path, value))
    assert len(str(refusal.value).splitlines()) == 2  # the heading and one fault


def test_all_faults_at_once():
    with pytest.raises(ConfigError) as refusal:
        validate({**changed("data.digits", 1), "colour": 1})
    assert len(str(refusal.value).splitlines()) == 3


def test_missing_section_is_named():
    with pytest.raises(ConfigError, match="base: Field required"):
        validate({name: value for name, value in DEFAULT.items() if name != "base"})


def test_folder_without_images_is_refused(tmp_path: Path):
    values = changed("data.source", "folder")
    values["data"]["folder"] = str(tmp_path)
    with pytest.raises(ConfigError, match=r"lacks .*mnist/train-images"):
        check_images(validate(values))


def test_config_is_frozen():
    with pytest.raises(ValueError, match="frozen"):
        validate(DEFAULT).preset = "other"  # type: ignore[misc]


def test_learning_rates_are_log_spaced():
    rates = LearningRates(low=3e-6, high=1e-3, count=15).values()
    assert (rates[0], rates[-1], len(set(rates))) == (3e-6, 1e-3, 15)
    ratios = [b / a for a, b in pairwise(rates)]
    assert max(ratios) / min(ratios) == pytest.approx(1, abs=1e-4)
    assert LearningRates(low=1e-3, high=1e-3, count=1).values() == [1e-3]


def test_schema_is_not_stale():
    written = (ROOT / "workflow/schemas/config.schema.json").read_text()
    assert written == config.schema(), "run: make schema"


MINE = """def double(policy, batch, *, factor=2.0):
    return factor


def other(x):
    pass
"""


def test_user_objective_by_import_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    validate(changed("methods.mine", {"objective": "mine:double", "options": {"factor": 3.0}}))
    assert registry.load("mine:double", {"factor": 3.0})(None, None) == 3.0  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"unknown objective 'mine:other': mine\.py has double"):
        validate(changed("methods.mine", {"objective": "mine:other"}))


@pytest.mark.parametrize("overlay", [None, "smoke", "paper"])
def test_sequential_sft_has_the_budget_of_the_others(overlay: str | None):
    own = yaml.safe_load((ROOT / f"config/{overlay}.yaml").read_text()) if overlay else {}
    found = validate(overlaid(DEFAULT, own))
    images = found.anchors.images
    assert list(images.methods["sequential"].values) == [images.digits]
    assert max(images.methods["short"].values) < images.digits

"""No pickle, nothing fetched without a checksum over https, and no config value that a shell could read as its own."""

import re
from pathlib import Path

import pytest

from forgetting.config import ConfigError, validate
from forgetting.sources import MIRRORS, PARTS, SUBSET, checksums
from tests.conftest import ROOT
from tests.unit.test_config import DEFAULT, overlaid

CODE = [
    file
    for folder in ("src", "workflow", "benchmarks", "tools")
    for suffix in ("*.py", "*.smk")
    for file in (ROOT / folder).rglob(suffix)
]


def lines_with(pattern: str) -> list[str]:
    """Lines of the project's code in which a pattern is found, with their places."""
    found = re.compile(pattern)
    return [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in CODE
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        if found.search(line)
    ]


def test_the_search_finds_what_it_looks_for():
    assert any("sources.py" in line for line in lines_with(r"pooch\.retrieve"))


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b(import|from) (pickle|cPickle|joblib|dill|cloudpickle|shelve|marshal)\b",
        r"allow_pickle\s*=\s*True|(to|read)_pickle",
        r"torch\.(load|save)\((?!.*weights_only=True)",
        r"yaml\.(load|unsafe_load|full_load)\(",
        r"shell\s*=\s*True|os\.system|os\.popen",
        r"(?<![\w.])(eval|exec)\(",
    ],
)
def test_nothing_runs_what_it_reads(pattern: str):
    assert lines_with(pattern) == []


def test_no_rule_hands_a_value_to_a_shell():
    """Jobs are scripts, which get values as values. A shell command would have to quote each one: {value:q}."""
    rules = "\n".join(file.read_text() for file in CODE if file.suffix == ".smk")
    for command in re.findall(r"^    shell:\n(.*?)(?=^    \w+:|\Z|^\w)", rules, re.M | re.S):
        assert not re.findall(r"(?<!\{)\{(?!\{)[^{}]*?(?<!:q)\}(?!\})", command), command


def test_downloads_are_over_https_with_a_checksum_each():
    assert lines_with(r"http://(?!(www\.)?w3\.org)|ftp://") == []
    for name, mirrors in MIRRORS.items():
        assert all(mirror.startswith("https://") for mirror in mirrors)
        assert {len(checksums()[name][part]) for part in PARTS} == {64}
    assert len(checksums()[SUBSET]) == 2


@pytest.mark.parametrize(
    "name", ["a b", "a'b", 'a"b', "$(touch here)", "`touch here`", "a;b", "../up", "a/b", "-rf", ""]
)
def test_names_that_become_paths_are_plain(name: str):
    for overlay in ({"preset": name}, {"methods": {name: {"objective": "sft_1"}}}):
        with pytest.raises(ConfigError, match="pattern"):
            validate(overlaid(DEFAULT, overlay))


def test_published_files_are_no_pickles():
    published = [file for file in (ROOT / "src/forgetting/published").rglob("*") if file.is_file()]
    kinds = {".csv", ".json", ".yaml", ".md", ".parquet", ".npz", ".safetensors", ".py", ".bib"}
    assert published and {file.suffix for file in published if "__pycache__" not in file.parts} <= kinds


def test_written_arrays_open_without_pickle(npz: Path):
    import numpy as np

    with np.load(npz, allow_pickle=False) as content:
        assert all(content[name].dtype != object for name in content.files)

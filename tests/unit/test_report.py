"""What a run says of itself: what reproduced, its notebooks as pages, where it comes from, what each file is."""

import json
from pathlib import Path

import nbformat
import pandas as pd
import pytest
import yaml
from docutils.core import publish_string

from forgetting import provenance
from forgetting.config import PUBLISHED, validate
from forgetting.crate import crate
from forgetting.pages import page
from forgetting.summary import LINES, markdown, measured, restructured, rows
from tests.conftest import ROOT
from tests.unit.test_config import DEFAULT
from tools.readme import renewed


@pytest.fixture
def claims() -> pd.DataFrame:
    return pd.read_csv(ROOT / PUBLISHED / "claims.csv")


def test_readme_says_what_reproduced_in_the_kept_run(claims: pd.DataFrame):
    readme = (ROOT / "README.md").read_text()
    assert renewed(readme, claims) == readme, "run python tools/readme.py"
    turned = claims.assign(verdict="reproduced")
    assert renewed(readme, turned) != readme
    with pytest.raises(ValueError, match="no section"):
        renewed("# Something else", claims)


def test_every_claim_is_on_the_page_with_its_verdict(claims: pd.DataFrame):
    text = markdown(claims)
    for _, row in claims.iterrows():
        assert f"| {row['id']} | " in text and text.count(f"| {row['verdict']} |") >= 1
    assert len(list(rows(claims))) == len(claims) and set(claims["line"]) == set(LINES)


def test_an_exact_value_has_no_interval_and_an_untested_one_nothing():
    row = {"ours": 0.25, "low": 0.2, "high": 0.3}
    assert measured(pd.Series(row)) == "0.25 [0.2, 0.3]"
    assert measured(pd.Series({**row, "low": 0.25, "high": 0.25})) == "0.25"
    assert measured(pd.Series({**row, "ours": float("nan")})) == ""


def test_front_page_is_restructured_text_whatever_is_in_a_name(claims: pd.DataFrame):
    claims.loc[0, "claim"] = r"50 % of *a_b* |c| ± `d` \e"
    html = publish_string(
        restructured(claims, "The headline."), writer="html5", settings_overrides={"report_level": 1, "halt_level": 2}
    ).decode()
    assert r"50 % of *a_b* |c| ± `d` \e" in html and "The headline." in html
    assert html.count("<tr>") == len(claims) + len(LINES)


def test_page_of_a_notebook_needs_nothing_else(tmp_path: Path):
    picture = nbformat.v4.new_output("display_data", {"image/png": "aGVsbG8="})
    cells = [nbformat.v4.new_markdown_cell("# Title ±"), nbformat.v4.new_code_cell("1 < 2", outputs=[picture])]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "a_b.ipynb")
    html = page(tmp_path / "a_b.ipynb")
    assert "Title ±" in html and "data:image/png;base64,aGVsbG8=" in html and "<title>a b</title>" in html
    assert "http" not in html


def test_provenance_names_versions_config_and_what_each_job_took(tmp_path: Path):
    (tmp_path / "benchmarks/base").mkdir(parents=True)
    (tmp_path / "benchmarks/base/0.tsv").write_text("s\th:m:s\tcpu_time\n2.5\t0:00:02\t2.25\n")
    config = validate(DEFAULT)
    provenance.keep(config, tmp_path)
    found = json.loads((tmp_path / provenance.FILE).read_text())
    assert found["jobs"] == {"base/0": 2.5}
    assert found["packages"]["torch"].startswith("2.13.0") and found["config"]["preset"] == "default"
    assert found["seeds"]["base"] == list(config.base.seeds)
    other = validate({**DEFAULT, "preset": "other"})
    assert provenance.provenance(other, tmp_path)["config_sha256"] != found["config_sha256"]


def test_no_repository_is_no_fault(tmp_path: Path):
    assert provenance.git("rev-parse", "HEAD", here=tmp_path) is None


def test_crate_describes_every_file(tmp_path: Path):
    files = [tmp_path / "tables/a.csv", tmp_path / "b.parquet"]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text("x")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    graph = {entry["@id"]: entry for entry in json.loads(crate(files, tmp_path, citation))["@graph"]}
    assert graph["tables/a.csv"]["encodingFormat"] == "text/csv" and graph["b.parquet"]["contentSize"] == 1
    assert graph["./"]["name"] == citation["title"] and graph["./"]["datePublished"]
    assert {part["@id"] for part in graph["./"]["hasPart"]} == {"tables/a.csv", "b.parquet"}

"""The ledger: every published claim has a row, a line without checks is "not tested", a target is named."""

import pandas as pd
import pytest

from forgetting.claims import claim_cells, counts, gather, ledger, published_claims
from forgetting.results import Estimate, check
from tests.conftest import ROOT

PUBLISHED = published_claims(ROOT / "src/forgetting/published/claims.yaml")


def checks() -> pd.DataFrame:
    first = check(
        "A4", "settles at", 0.50005, Estimate(0.50005, 0.0, 1), "meets", tolerance=1e-4, role="headline", ref=1e-4
    )
    other = check("M2", "slope", -0.125, Estimate(-0.2, 0.001, 9), "inside", tolerance=0.005, role="headline")
    return gather({"a.parquet": pd.DataFrame([first]), "m.parquet": pd.DataFrame([other])})


def test_every_published_claim_has_one_row_and_the_source_it_came_from():
    table = ledger(PUBLISHED, checks(), "smoke").set_index("id")
    assert list(table.index) == list(PUBLISHED["id"])
    assert table.loc["M1", "source"] == "arXiv 2603.12163" and table.loc["A1", "source"] == "this project"
    assert table.loc["A3", "published"] == "0.24, 0.12, 0.08" and table.loc["R1", "published"] == "0.96"


def test_verdicts_name_the_file_they_rest_on_and_a_line_that_was_not_run_is_not_tested():
    table = ledger(PUBLISHED, checks(), "smoke").set_index("id")
    assert table.loc["A4", ["verdict", "target", "preset"]].tolist() == ["reproduced", "a.parquet", "smoke"]
    assert table.loc["M2", ["verdict", "target"]].tolist() == ["not reproduced", "m.parquet"]
    assert set(table["verdict"].drop(["A4", "M2"])) == {"not tested"}


def test_a_claim_that_nobody_published_is_an_error():
    stray = checks().assign(claim="Z9")
    with pytest.raises(ValueError, match="claim 'Z9'"):
        ledger(PUBLISHED, stray, "smoke")


def test_cells_keep_the_digits_of_a_small_difference():
    cells = claim_cells(ledger(PUBLISHED, checks(), "smoke")).set_index("")
    assert cells.loc["A4", "expected"] == "$0.50005$"
    assert "0.50005" in cells.loc["A4", "measured"]


def test_counts():
    assert counts(["partly", "reproduced", "reproduced"]) == "2 reproduced, 1 partly"

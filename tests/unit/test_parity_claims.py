"""Checks of the parity line: an order that is swapped fails, what is missing is not tested."""

import numpy as np
import pandas as pd
import pytest

from forgetting.parity_claims import parity_checks
from forgetting.regression import r2_differences, r2_table
from forgetting.verdicts import verdicts
from tests.conftest import ROOT
from tests.unit.simulated_points import make_points

PUBLISHED = pd.read_csv(ROOT / "src/forgetting/published/r2.csv")
CLAIMS = [f"R{i}" for i in range(1, 15)]


def points(**changed: object) -> pd.DataFrame:
    made = make_points(seeds=5)
    made = made.assign(method=made["method"].replace({"oracle": "sft_oracle"}), unchanged=0.01, rank=1.0, **changed)
    return made.assign(activation_l1_new=made["weight_l1"] ** 3)


def judged(frame: pd.DataFrame) -> pd.DataFrame:
    r2 = r2_table(frame, np.random.default_rng(0))
    checks = parity_checks(frame, r2, r2_differences(frame, "forward_kl_new"), PUBLISHED)
    return verdicts(checks, CLAIMS).set_index("id")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return judged(points())


def test_values_are_those_of_the_table_and_held_against_the_published(table: pd.DataFrame):
    r2 = r2_table(points(), np.random.default_rng(0)).set_index(["predictor", "points"])
    assert table.loc["R1", "ours"] == r2.loc[("forward_kl", "all"), "r2"]
    assert table.loc["R1", "predicted"] == 0.96 and table.loc["R5", "predicted"] == 0.34
    assert table.loc["R5", "verdict"] == "not reproduced"  # noise explains nothing


def test_what_a_run_does_not_have_is_not_tested(table: pd.DataFrame):
    assert set(table.loc[["R2", "R3", "R4", "R6", "R7", "R9", "R13"], "verdict"]) == {"not tested"}


def test_forward_kl_beats_noise(table: pd.DataFrame):
    assert table.loc["R10", "verdict"] == "reproduced" and table.loc["R10", "parts"] == "2 of 2"


def test_an_order_turns_with_the_methods():
    keeps = {"grpo": 0.2, "sft_oracle": 0.1, "sft_1": 0.0}
    for kept, r11, r12 in (
        (keeps, "reproduced", "not reproduced"),
        ({"grpo": 0.0, "sft_oracle": 0.1, "sft_1": 0.2}, "not reproduced", "reproduced"),
    ):
        frame = points()
        frame["fashion_accuracy"] += frame["method"].map(kept)
        table = judged(frame)
        assert table.loc[["R11", "R12"], "verdict"].tolist() == [r11, r12]


def test_sparse_or_low_rank_updates_are_found(table: pd.DataFrame):
    assert table.loc["R14", "verdict"] == "reproduced"
    for column, value in (("unchanged", 0.2), ("rank", 0.5)):
        assert judged(points().assign(**{column: value})).loc["R14", "verdict"] == "not reproduced"

"""Tables and checks of the language line; a task from a file."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from forgetting.language.files import file_task, final_answer, right_final
from forgetting.language.summary import checks, compared, law_cells, law_table, marking, skill_table
from forgetting.regression import r2_table
from tests.unit.simulated_points import make_points

RNG = np.random.default_rng(0)
CONDITIONS = pd.DataFrame(
    {
        "condition": ["old skill: sort", "new task, sampled"] * 2,
        "value": [0.9, 0.5, 0.8, 0.2],
        "bound": [0.95, 0.45] * 2,
        "holds": [False, True, False, False],
        "base": ["ready-0"] * 2 + ["unready-0"] * 2,
        "model": "scratch",
    }
)


def language_points(seeds: int = 2) -> pd.DataFrame:
    points = make_points(seeds=seeds).drop(columns=["total_variation_old", "weight_l1"])
    return points.assign(reverse_kl_new=points["forward_kl_new"] ** 0.5)


def measures_of(points: pd.DataFrame, error: float = 0.02) -> pd.DataFrame:
    rows = points[["training", "checkpoint"]].assign(value=0.7, standard_error=error, n=256, base="ready-0")
    return pd.concat([rows.assign(quantity=name) for name in ("forward_kl_new", "reverse_kl_new", "sort")])


def test_marking_names_the_model_and_what_is_not_ready():
    assert marking(CONDITIONS) == "scratch model, not ready: ready-0"
    held = CONDITIONS.assign(holds=CONDITIONS["base"] == "ready-0")
    assert marking(held) == "scratch model"
    assert marking(held.assign(model="Qwen/X")) == "Qwen/X"


def test_law_is_the_parity_lines_and_each_base_stands_beside():
    points = language_points()
    law = law_table(points, measures_of(points), RNG, 60)
    pooled = law[law["bases"] == "all"]
    one = r2_table(points, RNG, ["forward_kl_new", "reverse_kl_new"], resamples=60)
    assert pooled["r2"].tolist() == [*one["r2"], *one["r2"]]
    assert pooled["interval"].unique().tolist() == ["calibrated jackknife", "two-stage"]
    assert set(law["bases"]) == {"all", "0", "1"} and np.allclose(law["kl_error"], 0.02)
    single = language_points(1)
    assert set(law_table(single, measures_of(single), RNG, 60)["bases"]) == {"all"}


def test_forgetting_by_skill_is_the_bases_accuracy_less_the_last_checkpoints():
    points = language_points(1)
    table = skill_table(measures_of(points), CONDITIONS)
    assert table["skill"].unique() == ["sort"] and table["forgetting"].to_numpy() == pytest.approx(0.2)
    assert (table["n"] == 5).all() or (table["n"].sum() == points["training"].nunique())


def test_methods_are_compared_at_one_accuracy_and_against_the_bases_own():
    points = language_points().assign(method=lambda p: p["method"].replace("oracle", "sft_2"))
    kinds = {"ready": points, "unready": points.assign(parity_accuracy=0.3)}
    table = compared(kinds).set_index(["kind", "method"])
    assert (table.loc["ready", "forgetting"] < table.loc["ready", "high"]).all()
    assert table.loc["ready", "forgetting"].between(-0.2, 0.8).all()
    assert (table.loc["unready", "reached"] == 0).all() and table.loc["unready", "forgetting"].isna().all()
    better = points.assign(fashion_accuracy=lambda p: p["fashion_accuracy"] - 0.1, forgetting=lambda p: p["forgetting"])
    shifted = compared({"ready": better}).set_index(["kind", "method"])["forgetting"]
    assert shifted.to_numpy() == pytest.approx(table.loc["ready", "forgetting"].to_numpy())


@pytest.mark.parametrize(("model", "claim"), [("scratch", "L1"), ("Qwen/X", "L2")])
def test_one_row_decides_and_the_claim_is_the_models(model: str, claim: str):
    points = language_points()
    law = law_table(points, measures_of(points), RNG, 60)
    found = checks(law, {"ready": points, "unready": points[points["base_seed"] == 0]}, model)
    assert set(found["claim"]) == {claim}
    deciding = found[found["role"] != "beside"]
    assert len(deciding) == 1 and deciding.iloc[0]["predicted"] == 0.71
    assert deciding.iloc[0]["measured"] == law.iloc[0]["r2"] and deciding.iloc[0]["low"] == law.iloc[0]["low"]
    alone = found[found["parameters"] == "base=unready"]
    assert set(alone["state"]) <= {"crosses", "fails", "not reached"}  # one base has no interval, so nothing holds


def test_cells_say_what_the_interval_may_be_called():
    points = language_points()
    cells = law_cells(law_table(points, measures_of(points), RNG, 60), "scratch model")
    assert cells["predictor"].tolist() == ["forward KL, scratch model", "reverse KL, scratch model", "intervals"]
    assert cells["published"].tolist() == ["$0.71$", "--", ""]
    assert "covered" in cells.iloc[2, 1] or "95" in cells.iloc[2, 1]


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        (r"so \boxed{41}, no: \boxed{42}", "42"),
        ("6 * 7\n#### 42\n", "42"),
        ("The answer is 42.", "42"),
        ("Answer: B", "B"),
        ("first\n42 ", "42"),
    ],
)
def test_the_final_answer_is_what_counts(completion: str, answer: str):
    assert final_answer(completion) == answer
    assert right_final(f" {answer}", completion) and not right_final("7", completion)


LINE = '{"prompt": "p", "answer": "1", "split": "%s"}\n'


def test_a_task_from_a_file(tmp_path: Path):
    file = tmp_path / "task.jsonl"
    file.write_text(LINE % "train" + LINE % "test" + LINE % "test")
    assert list(map(len, file_task(file)[:2])) == [1, 2]
    for text, message in {
        LINE % "train": "no line whose split is test",
        LINE % "train" + "{": "line 2: each line must be a JSON object",
        LINE % "dev": "line 1: .*KeyError",
        "[1]": "line 1: ",
    }.items():
        file.write_text(text)
        with pytest.raises(ValueError, match=message):
            file_task(file)

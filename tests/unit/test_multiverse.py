"""The multiverse: universes are configs, trainings are shared, and a table says what each choice does."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from forgetting import registry
from forgetting.base import pretrain
from forgetting.cells import COLUMNS, cell_points
from forgetting.completeness import gathered_cells
from forgetting.config import Config, ConfigError, validate
from forgetting.data import load
from forgetting.finetuning import Start, finetune_grid
from forgetting.multiverse import (
    choice_cells,
    choices_table,
    mechanism,
    multiverse_table,
    published_outcomes,
    summary,
)
from forgetting.universes import all_cells, cell_id, changed, check_universes, rows, shares, steps, universes
from tests.conftest import ROOT
from tests.unit.simulated_points import make_points
from tests.unit.test_config import DEFAULT
from tests.unit.test_config import changed as config_with

GRID = {
    "base.seeds": [0],
    "base.images": 64,
    "base.epochs": 2,
    "data.digits": 256,
    "data.test_images": 50,
    "finetuning.checkpoints": 2,
    "finetuning.learning_rates": {"low": 1e-3, "high": 1e-3, "count": 1},
}
CHOICES = {
    "pretraining_epochs": [{"base.epochs": 1}],
    "group": [{"methods.grpo*.options.group": 4}, {"methods.grpo*.options.group": "exact"}],
    "points": [{"multiverse.points": "final"}],
}


def config(**changes: Any) -> Config:
    own = {**DEFAULT["multiverse"], "size": 2, "jobs": 3, "grid": GRID, "choices": CHOICES, **changes}
    return validate(config_with("multiverse", own))


def test_the_config_of_the_project_has_only_universes_that_can_be_run():
    every = validate(DEFAULT)
    check_universes(every)
    alone = [universe for universe in universes(every) if universe.kind == "alone"]
    assert {name for universe in alone for name in universe.departs} == set(every.multiverse.choices)
    for universe in alone:  # each departs in what it says, and shows
        (name,) = universe.departs
        baseline = universes(every)[0].values
        assert universe.values[name] != baseline[name]
        assert {k: v for k, v in universe.values.items() if k != name} == {
            k: v for k, v in baseline.items() if k != name
        }


def test_universes_share_the_trainings_that_a_choice_does_not_touch():
    baseline, epochs, group, *_ = (universe.cells() for universe in universes(config()))
    ids = [set(map(cell_id, cells)) for cells in (baseline, epochs, group)]
    assert len(ids[0]) == len(DEFAULT["methods"]) and not ids[0] & ids[1]
    touched = {cell["method"]["name"] for cell in group if cell_id(cell) not in ids[0]}
    assert touched == {"grpo", "grpo_kl"}


def test_which_points_enter_trains_nothing():
    with_points, without = (config(size=0, choices=c) for c in (CHOICES, {**CHOICES, "points": []}))
    assert all_cells(universes(with_points)).keys() == all_cells(universes(without)).keys()


def test_shares_are_all_cells_whatever_the_number_of_jobs():
    cells = all_cells(universes(config()))
    for jobs in (1, 3, 1000):
        parts = list(shares(cells, jobs))
        assert len(parts) == jobs and {k: v for part in parts for k, v in part.items()} == cells
        assert sum(map(len, parts)) == len(cells)
    largest = max(sum(map(steps, part.values())) for part in shares(cells, 3))
    assert largest <= sum(map(steps, cells.values())) / 3 + max(map(steps, cells.values()))


def test_a_larger_sample_of_combinations_starts_with_the_smaller():
    small, large = universes(config(size=3)), universes(config(size=8))
    assert [u.told() for u in small] == [u.told() for u in large[: len(small)]] and len(large) == len(small) + 5
    assert universes(config(size=8, seed=1))[len(small)] != large[len(small)]


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        (
            "choices",
            {"group": [{"methods.grpo.options.groups": 4}]},
            r"choices\.group: there is no setting methods\.grpo",
        ),
        ("choices", {"labels": [{"base.labels": "never"}]}, r"choices\.labels: .*base\.labels: .*once"),
        ("choices", {"digits": [{"data.digits": 0}]}, r"choices\.digits: .*data\.digits: .*greater than"),
        ("grid", {"base.images": 600, "data.digits": 500}, r"multiverse\.grid: .*base\.images \(600\) is more"),
        ("grid", {"bases": 1}, r"multiverse\.grid: there is no setting bases"),
    ],
)
def test_a_universe_that_cannot_be_run_is_named(part: str, value: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=f"(?s){message}"):
        check_universes(config(**{part: value}))


def test_a_universe_has_no_more_images_than_the_run():
    few = validate({**DEFAULT, "data": {**DEFAULT["data"], "digits": 1000, "test_images": 100}})
    check_universes(few)
    assert {u.config["data"]["digits"] for u in universes(few)} == {1000}
    assert {u.config["data"]["test_images"] for u in universes(few)} == {100}


def test_a_method_of_ones_own_changes_no_cell_and_no_job():
    more = validate(config_with("methods", {"own": {"objective": "sft_1"}, **DEFAULT["methods"]}))
    cells, jobs = all_cells(universes(validate(DEFAULT))), DEFAULT["multiverse"]["jobs"]
    assert list(shares(all_cells(universes(more)), jobs)) == list(shares(cells, jobs))


def test_a_choice_on_a_method_that_is_not_there_is_none():
    other = validate({**DEFAULT, "methods": {"sft_1": {"objective": "sft_1"}}})
    check_universes(other)
    assert not {"group", "SFT-2_labels", "penalty"} & {*universes(other)[0].values}
    assert {"pixels", "optimizer"} <= {*universes(other)[0].values}


def test_changing_a_copy():
    tree = {"a": {"bc": 1, "bd": 2}, "e": 3}
    assert changed(tree, {"a.b*": 9}) == {"a": {"bc": 9, "bd": 9}, "e": 3} and tree["a"]["bc"] == 1


def test_a_cell_is_what_the_parity_line_would_train(npz: Path):
    """The baseline's points are those of the engine under the same settings, to the bit."""
    cells = all_cells(universes(config())[:1])
    name, cell = next((name, cell) for name, cell in cells.items() if cell["method"]["name"] == "grpo_kl")
    found = next(cell_points({name: cell}, npz))
    tasks = load(npz, cell["data"]["pixels"], 256, 50)
    base = pretrain(tasks, 0, **{k: v for k, v in cell["base"].items() if k not in ("seed", "pixels")})
    grid = {k: v for k, v in cell["grid"].items() if k not in ("rates", "accuracy")}
    method = DEFAULT["methods"]["grpo_kl"]
    objective = registry.load(method["objective"], method["options"])
    ours = finetune_grid(Start.of(base, tasks), tasks, objective, method="grpo_kl", base_seed=0, rates=[1e-3], **grid)
    pd.testing.assert_frame_equal(found[COLUMNS], ours[COLUMNS])
    assert len(found) == rows(cell) and set(found["cell"]) == {name}
    assert 0 < found["base_entropy"].iloc[0] <= math.log(5)


def test_the_order_of_cells_and_who_shares_a_job_change_nothing(npz: Path):
    cells = dict(list(all_cells(universes(config())).items())[:3])
    together = pd.concat(cell_points(cells, npz))
    apart = pd.concat(next(cell_points({k: cells[k]}, npz)) for k in reversed(cells))
    by = ["cell", "checkpoint"]
    pd.testing.assert_frame_equal(*(f.sort_values(by, ignore_index=True) for f in (together, apart)))


def told(kind: str, departs: dict[str, str], cells: list[str], points: str = "all") -> dict[str, Any]:
    values = {"noise": "low", "points": "all", **departs}
    return {"kind": kind, "values": values, "departs": [*departs], "cells": cells, "points": points}


UNIVERSES = [
    told("baseline", {}, ["quiet"]),
    told("alone", {"noise": "high"}, ["loud"]),
    told("alone", {"points": "final"}, ["quiet"], "final"),
    told("combined", {"noise": "high", "points": "final"}, ["loud"], "final"),
]


@pytest.fixture(scope="module")
def points() -> pd.DataFrame:
    about = {"base_parity_accuracy": 0.9, "base_fashion_accuracy": 0.776, "base_entropy": 1.6}
    parts = [make_points(noise=n).assign(cell=c, **about) for c, n in (("quiet", 0.0), ("loud", 0.2))]
    return pd.concat(parts, ignore_index=True)


def test_choices_are_ordered_by_what_they_do(points: pd.DataFrame):
    table = multiverse_table(points, UNIVERSES)
    assert list(table["kind"]) == ["baseline", "alone", "alone", "combined"]
    choices = choices_table(table).set_index("choice")
    assert list(choices.index) == ["noise", "points"] and list(choices["r2_rank"]) == [1, 2]
    quiet, loud = table["r2"][:2]
    assert choices.loc["noise", "r2_moves"] == pytest.approx(quiet - loud) and quiet > 0.9 > loud
    assert choices.loc["noise", ["default", "others"]].tolist() == ["low", "high"]
    assert choices.loc["noise", "reached"] == 2  # GRPO gets to 96 % parity in both
    row = summary(table, choices.reset_index(), {"r2": 0.96, "grpo": 0.6}).iloc[0]
    assert row["universes"] == 4 and row["r2_most"] == "noise"
    assert row["r2_min"] == table["r2"].min() and row["r2_published"] == (table["r2"] >= 0.96).sum()
    assert "noise" in choice_cells(choices.reset_index()).iloc[0].tolist()


def test_choices_are_held_against_chance(points: pd.DataFrame):
    with_chance = [*UNIVERSES, told("alone", {"other_draws": "1"}, ["loud"])]
    for universe in with_chance:
        universe["values"] = {"other_draws": "0", **universe["values"]}
    table = multiverse_table(points, with_chance)
    row = summary(table, choices_table(table), {"r2": 0.96, "grpo": 0.6}).iloc[0]
    assert row["r2_chance"] == table["r2"][0] - table["r2"][4]  # draws move as much as the noise
    assert (row["r2_beyond_chance"], row["r2_choices"], row["r2_most"]) == (0, 2, "noise")


def test_the_universes_in_which_rl_keeps_no_more_are_named(points: pd.DataFrame):
    table = multiverse_table(points, UNIVERSES).assign(grpo=[0.5, 0.4, 0.6, np.nan], sft_2=[0.4, 0.4, 0.5, 0.5])
    row = summary(table, choices_table(table), {"r2": 0.96, "grpo": 0.6}).iloc[0]
    assert (row["rl_compared"], row["rl_keeps_more"], row["rl_exceptions"]) == (3, 2, "noise high")


def test_a_universe_in_which_all_diverged_has_no_law_and_says_why(points: pd.DataFrame):
    table = multiverse_table(points.assign(diverged=points["cell"] == "loud"), UNIVERSES)
    assert math.isnan(table["r2"][1]) and "did every training diverge" in table["note"][1]
    assert table["r2"][0] > 0.9 and table["note"][0] == ""


def test_missing_points_are_an_error(points: pd.DataFrame):
    cells = points["cell"].value_counts().to_dict()
    assert len(gathered_cells([points], cells)) == len(points)
    with pytest.raises(ValueError, match="cells loud of the multiverse"):
        gathered_cells([points.drop(points.index[-1])], cells)
    with pytest.raises(ValueError, match="1 cells of the multiverse are missing"):
        multiverse_table(points[points["cell"] == "quiet"], UNIVERSES)


def test_mechanism_sees_an_order_and_says_when_there_is_none():
    base = pd.DataFrame({"kind": "alone", "choice": "base_seed", "base_entropy": np.linspace(1.4, 1.6, 8)})
    found = mechanism(base.assign(grpo_kl_there=-base["base_entropy"]))
    assert found["rho"] == -1 and found["p"] < 0.01 and found["bases"] == 8
    assert mechanism(base.assign(grpo_kl_there=[1, 5, 2, 7, 3, 8, 4, 6]))["p"] > 0.1
    assert math.isnan(mechanism(base.head(3).assign(grpo_kl_there=1.0))["rho"])
    assert mechanism(base.assign(choice="group", grpo_kl_there=1.0))["bases"] == 0


def test_published_outcomes_are_those_of_the_paper():
    found = published_outcomes(*(pd.read_csv(ROOT / f"src/forgetting/published/{n}.csv") for n in ("r2", "matched")))
    assert found == {"r2": 0.96, "grpo": 0.60}


def test_universes_can_be_written_down():
    json.dumps([universe.told() for universe in universes(config())])

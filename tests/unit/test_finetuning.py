"""Points: baseline, checkpoints, the two tasks kept apart, divergence kept, completeness."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
import torch

from forgetting.data import Tasks
from forgetting.distances import columns
from forgetting.finetuning import Start, checkpoint_steps, finetune, finetune_grid
from forgetting.objectives import Batch, grpo, sft_1, sft_oracle
from forgetting.points import Baseline, gather, measure
from forgetting.policy import Policy
from forgetting.training import Objective

SETTINGS = {"batch_size": 64, "warmup": 0.1, "weight_decay": 0.0, "checkpoints": 4, "diverged_above": 100.0}
GRID = {"schedules": ["constant", "cosine"], "epochs": [1, 2]}


def run(base: Policy, tasks: Tasks, objective: Objective = sft_1, rates: tuple[float, ...] = (1e-4, 1e-3), **changed):
    arguments = {"method": "m", "base_seed": 0, **GRID, **SETTINGS, **changed}
    seen = {name: arguments.pop(name) for name in ("accuracy", "outputs_only") if name in arguments}
    return finetune_grid(Start.of(base, tasks, **seen), tasks, objective, rates=rates, **arguments)


def test_untouched_base_has_forgotten_nothing(baseline: Baseline):
    row = measure(baseline, baseline.policy.copy(), 100.0, last=True)
    assert row["forgetting"] == 0 and not row["diverged"]
    same = {"cknna_new", "cknna_old", "unchanged", "nearly_unchanged"}  # shares: all of it is as it was
    assert {name: row[name] for name in columns()} == pytest.approx({n: float(n in same) for n in columns()}, abs=1e-9)


def test_dear_predictors_are_measured_at_the_end_of_a_training_only(base: Policy, tasks: Tasks):
    points = run(base, tasks, rates=(1e-3,))
    end = points["checkpoint"] == SETTINGS["checkpoints"]
    for name in ("cknna_new", "cknna_old", "unchanged", "nearly_unchanged", "rank"):
        assert points.loc[end, name].notna().all() and points.loc[~end, name].isna().all()
    assert not points["diverged"].any()


def test_new_and_old_task_are_kept_apart(baseline: Baseline, base: Policy):
    """A policy changed for clothes alone (the indicator is −1 there) moves on old-task inputs only."""
    moved = base.copy()
    with torch.no_grad():
        switch = 1000.0  # one hidden unit that digits (indicator +1) never light and clothes always do
        moved.weights[0][:, 0] = 0
        moved.weights[0][-1, 0] = -switch
        moved.biases[0][0] = 0
        moved.weights[1][0] = torch.linspace(-1, 1, 256)
        base_dark = moved.copy()
        base_dark.weights[1][0] = 0
    new, old = (base_dark.see(images.x) for images in (baseline.digits, baseline.clothes))
    row = measure(replace(baseline, new=new, old=old), moved, 1e9)
    for name in ("forward_kl", "total_variation"):
        assert row[f"{name}_new"] == 0 and row[f"{name}_old"] > 0.1


def test_count_is_the_grid(base: Policy, tasks: Tasks):
    points = run(base, tasks)
    assert len(points) == 2 * 2 * 2 * 4
    assert points["training"].nunique() == 8
    assert (points["step"] == (points["checkpoint"] * 10 * points["epochs"] / 4).round()).all()


def test_order_of_the_grid_changes_nothing(base: Policy, tasks: Tasks):
    def ordered(points: pd.DataFrame) -> pd.DataFrame:
        return points.sort_values(["training", "step"], ignore_index=True)

    there = run(base, tasks, grpo)
    back = run(base, tasks, grpo, rates=(1e-3, 1e-4), schedules=["cosine", "constant"], epochs=[2, 1])
    pd.testing.assert_frame_equal(ordered(there), ordered(back), check_exact=True)


def test_evaluation_changes_nothing(base: Policy, tasks: Tasks, baseline: Baseline):
    """One checkpoint or eight: bit-equal final weights."""
    finals = []
    for checkpoints in (1, 8):
        kept: dict[int, Policy] = {}
        finetune(
            baseline,
            tasks,
            grpo,
            method="m",
            base_seed=0,
            learning_rate=1e-3,
            schedule="cosine",
            epochs=1,
            base_log_probs=base.log_probs(tasks.digits.x).float(),
            keep=lambda policy, training, step, kept=kept: kept.__setitem__(step, policy.copy()),
            **{**SETTINGS, "checkpoints": checkpoints},
        )
        assert len(kept) == checkpoints
        finals.append(kept[10])
    assert all(torch.equal(a, b) for a, b in zip(finals[0].parameters(), finals[1].parameters(), strict=True))


def test_diverged_training_is_kept_and_marked(base: Policy, tasks: Tasks):
    points = run(base, tasks, rates=(1e-4, 1e3), schedules=["constant"], epochs=[1])
    wild = points[points["learning_rate"] == 1e3]
    assert len(wild) == 4 and wild["diverged"].all()
    assert not points.loc[points["learning_rate"] == 1e-4, "diverged"].any()


def test_training_that_breaks_off_keeps_its_rows(base: Policy, tasks: Tasks):
    def breaks(policy: Policy, batch: Batch, calls: list[int] = []) -> torch.Tensor:  # noqa: B006
        calls.append(1)
        return sft_1(policy, batch) * (torch.nan if len(calls) > 6 else 1.0)

    points = run(base, tasks, breaks, rates=(1e-4,), schedules=["constant"], epochs=[1])
    assert points["diverged"].tolist() == [False, False, True, True]
    assert points["forward_kl_new"].isna().tolist() == [False, False, True, True]


def test_more_penalty_gives_less_kl(base: Policy, tasks: Tasks):
    final = [
        run(base, tasks, partial(grpo, kl=kl), (1e-3,), schedules=["cosine"], epochs=[2])["forward_kl_new"].iloc[-1]
        for kl in (0.0, 0.1, 1.0)
    ]
    assert final[0] > final[1] > final[2]


def test_oracle_moves_less_than_sft(base: Policy, tasks: Tasks):
    """The closest solution is closer: same steps, less forward KL."""
    oracle, sft = (run(base, tasks, o, (1e-3,), schedules=["cosine"], epochs=[2]) for o in (sft_oracle, sft_1))
    assert oracle["forward_kl_new"].iloc[-1] < sft["forward_kl_new"].iloc[-1]


def test_kept_checkpoints(base: Policy, tasks: Tasks, tmp_path: Path):
    for keep, files in (("none", 0), ("final", 2), ("all", 8)):
        folder = tmp_path / keep
        run(base, tasks, schedules=["cosine"], epochs=[1], keep_checkpoints=keep, checkpoint_folder=folder)
        assert len(list(folder.glob("*.safetensors"))) == files
    Policy.load(next((tmp_path / "final").iterdir()))


def test_checkpoint_steps():
    assert checkpoint_steps(469, 8)[-1] == 469 and len(set(checkpoint_steps(469, 8))) == 8
    with pytest.raises(ValueError, match="do not fit"):
        checkpoint_steps(3, 4)


def test_gather_refuses_what_is_not_the_product(base: Policy, tasks: Tasks):
    points = run(base, tasks, schedules=["cosine"], epochs=[1])
    names = set(points["training"])
    assert len(gather([points], names, 4)) == 8
    with pytest.raises(ValueError, match="lack 1 of 2 trainings"):
        gather([points[points["learning_rate"] == 1e-4]], names, 4)
    with pytest.raises(ValueError, match="lack or repeat"):
        gather([points[points["checkpoint"] < 4]], names, 4)
    with pytest.raises(ValueError, match="lack or repeat"):
        gather([points, points], names, 4)


def test_outputs_alone_are_measured_as_with_the_rest(base: Policy, tasks: Tasks):
    whole, part = run(base, tasks, rates=(1e-3,)), run(base, tasks, rates=(1e-3,), outputs_only=True)
    same = [name for name in whole if not part[name].isna().any()]
    assert {"forward_kl_new", "fashion_accuracy", "reverse_kl_old"} <= set(same)
    pd.testing.assert_frame_equal(whole[same], part[same])
    assert part.drop(columns=same).isna().all(axis=None)


def test_accuracy_of_drawn_answers_is_the_mass_on_right_ones(base: Policy, tasks: Tasks):
    points = run(base, tasks, rates=(1e-3,), accuracy="sampled", outputs_only=True)
    sampled = Baseline.of(base, tasks, "sampled")
    drawn = torch.distributions.Categorical(logits=sampled.old.log_probs).sample((4000,))
    share = (drawn == sampled.clothes.label).double().mean().item()
    kept = points["fashion_accuracy"] + points["forgetting"]  # the base's
    assert kept.to_numpy() == pytest.approx(share, abs=0.005)


def test_inner_steps_go_over_each_batch_again(base: Policy, tasks: Tasks):
    """Two inner steps are twice the steps on the same images; with one nothing changes."""
    once, twice = (run(base, tasks, grpo, rates=(1e-3,), inner=n, outputs_only=True) for n in (1, 2))
    pd.testing.assert_frame_equal(once, run(base, tasks, grpo, rates=(1e-3,), outputs_only=True))
    ends = [points[points["checkpoint"] == SETTINGS["checkpoints"]] for points in (once, twice)]
    assert (ends[1]["step"] == 2 * ends[0]["step"]).all()
    assert (ends[1]["forward_kl_new"] != ends[0]["forward_kl_new"]).all()

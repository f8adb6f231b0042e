"""Distillation, single steps, bases: identities, then checks that fail when they should."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch

from forgetting.alignment import old_gradient, steps_of
from forgetting.data import Tasks
from forgetting.distances import forward_kl
from forgetting.distillation import choose_teacher, distil, imitate
from forgetting.finetuning import Start, finetune_grid, one_epoch
from forgetting.law_checks import law_checks
from forgetting.mechanism import LARGEST, base_entropy, describe
from forgetting.objectives import Batch, grpo, oracle_log_probs, sft_1, sft_oracle
from forgetting.points import training_name
from forgetting.policy import Policy
from forgetting.retaining import rehearsal
from forgetting.verdicts import verdicts

TRAINING = {"batch_size": 64, "warmup": 0.1, "weight_decay": 0.0}
SETTINGS = {**TRAINING, "checkpoints": 2, "diverged_above": 100.0}


def points(base: Policy, tasks: Tasks) -> pd.DataFrame:
    return finetune_grid(
        Start.of(base, tasks), tasks, grpo, method="grpo", base_seed=0, rates=[3e-4, 1e-3], schedules=["cosine"],
        epochs=[1], **SETTINGS,
    )  # fmt: skip


def test_the_teacher_is_the_training_of_the_points_and_students_are_the_grid(base: Policy, tasks: Tasks):
    made = points(base, tasks)
    frame = distil(base, tasks, made, grpo, base_seed=0, rates=[3e-4, 1e-3], **SETTINGS)
    assert frame["method"].value_counts().to_dict() == {"distilled": 4, "teacher": 1}
    with pytest.raises(RuntimeError, match="otherwise than in the points"):
        wrong = made.assign(fashion_accuracy=made["fashion_accuracy"] + 0.01)
        distil(base, tasks, wrong, grpo, base_seed=0, rates=[1e-3], **SETTINGS)


def test_the_base_as_its_own_teacher_teaches_next_to_nothing(base: Policy, tasks: Tasks):
    """The expected gradient is 0 there, and a teacher that knows better moves the student."""
    said = base.log_probs(tasks.digits.x).float()
    moved = {}
    for name, objective in {"self": imitate(base), "sft_1": sft_1}.items():
        policy = one_epoch(base, objective, tasks.digits, said, 1e-4, base_seed=0, training=name)
        moved[name] = forward_kl(base.log_probs(tasks.digits_test.x), policy.log_probs(tasks.digits_test.x)).item()
    assert moved["self"] < 0.2 * moved["sft_1"]


def test_teacher_is_the_lowest_rate_that_gets_there(base: Policy, tasks: Tasks):
    made = points(base, tasks)
    end = made["checkpoint"] == 2
    for accuracies, chosen in (((0.97, 0.99), 3e-4), ((0.95, 0.97), 1e-3), ((0.95, 0.94), 3e-4)):
        made.loc[end, "parity_accuracy"] = accuracies
        assert choose_teacher(made)["learning_rate"] == chosen


def test_steps_add_up_to_the_training(base: Policy, tasks: Tasks):
    """Growths of all steps sum to the forward KL that the training ends at; probing fewer shows the same steps."""
    arguments = dict(method="sft_1", base_seed=0, learning_rate=3e-4, schedule="cosine", **TRAINING)
    every = steps_of(base, tasks, sft_1, **arguments, probes=10)
    assert len(every) == 10  # 640 digits
    training = training_name("sft_1", 0, 3e-4, "cosine", 1)
    end = one_epoch(base, sft_1, tasks.digits, torch.empty(640, 10), 3e-4, base_seed=0, training=training)
    inputs = tasks.digits_test.x
    kl = forward_kl(base.log_probs(inputs), end.log_probs(inputs)).item()
    assert every["growth"].sum() == pytest.approx(kl, rel=1e-9)
    few = steps_of(base, tasks, sft_1, **arguments, probes=5)
    pd.testing.assert_frame_equal(few, every[every["step"] % 2 == 0].reset_index(drop=True))


def test_cosine_is_positive_for_a_step_that_raises_the_old_loss(base: Policy, tasks: Tasks):
    """Descending the old task's own loss is a cosine of −1 for plain gradient steps."""
    clothes = tasks.clothes.take(torch.arange(200))
    gradient = old_gradient(base, clothes)
    before = torch.nn.functional.cross_entropy(base(clothes.x), clothes.label).item()
    moved, at = base.copy(), 0
    with torch.no_grad():
        for parameter in moved.parameters():
            parameter += 1e-3 * gradient[at : at + parameter.numel()].view_as(parameter) / gradient.norm()
            at += parameter.numel()
    after = torch.nn.functional.cross_entropy(moved(clothes.x), clothes.label).item()
    assert after - before == pytest.approx(1e-3 * gradient.norm().item(), rel=0.05)


def test_entropy_over_right_digits():
    """Uniform: ln 5, whatever stands on the wrong digits; certain: 0; by hand: two of them even."""
    parity = torch.tensor([0, 1])
    uniform = torch.zeros(2, 10, dtype=torch.float64)
    uniform[0, 1::2] += 3
    assert base_entropy(uniform.log_softmax(1), parity).item() == pytest.approx(LARGEST)
    certain = torch.full((2, 10), -torch.inf, dtype=torch.float64)
    certain[0, 4], certain[1, 7] = 0, 0
    assert base_entropy(certain, parity).item() == 0
    two = certain.clone()
    two[0, 0] = 0
    assert base_entropy(two, parity).item() == pytest.approx(math.log(2) / 2)


def test_description_is_between_its_bounds(base: Policy, tasks: Tasks):
    assert 0 < describe(base, tasks)["entropy"] <= LARGEST
    solved = one_epoch(base, sft_1, tasks.digits, torch.empty(640, 10), 1e-3, base_seed=0, training="m")
    assert describe(solved, tasks)["entropy"] < describe(base, tasks)["entropy"]  # SFT-1 leaves one answer


def taught(gap: float, student_parity: float = 0.98) -> pd.DataFrame:
    rows = []
    for seed in range(5):
        keys = {"base_seed": seed, "learning_rate": 1e-3, "checkpoint": 1, "diverged": False, "forgetting": 0.1}
        teacher = {"method": "teacher", "training": "t", "parity_accuracy": 0.965, "fashion_accuracy": 0.6}
        student = {"method": "distilled", "training": "s", "parity_accuracy": student_parity}
        rows += [keys | teacher, keys | student | {"fashion_accuracy": 0.6 + gap + 0.001 * seed}]
    return pd.DataFrame(rows)


def stepped(sign: float) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cosine = rng.normal(size=200)
    growth = sign * cosine + rng.normal(size=200)
    keys = {"method": "sft_1", "base_seed": np.arange(200) % 5, "length": 1.0}
    return pd.DataFrame({**keys, "cosine": cosine, "growth": growth})


def judged(frame: pd.DataFrame, steps: pd.DataFrame) -> pd.DataFrame:
    return law_checks(frame, steps, frame[frame["method"] == "teacher"].assign(method="grpo"))


def test_frontiers_are_compared_where_both_get():
    checks = judged(taught(0.01), stepped(1.0)).query("quantity.str.contains('frontiers')").set_index("parameters")
    assert checks.loc["parity=0.96", "measured"] == pytest.approx(0.012)
    assert checks.loc["parity=0.97", "state"] == "not reached" and set(checks["role"]) == {"beside"}


@pytest.mark.parametrize(
    ("gap", "parity", "sign", "r13", "r15"),
    [
        (0.0, 0.98, 1.0, "reproduced", "reproduced"),
        (0.05, 0.98, -1.0, "not reproduced", "not reproduced"),
        (-0.05, 0.98, 1.0, "not reproduced", "reproduced"),
        (0.0, 0.95, 1.0, "not reached", "reproduced"),
    ],
)
def test_verdicts(gap: float, parity: float, sign: float, r13: str, r15: str):
    table = verdicts(judged(taught(gap, parity), stepped(sign)), ["R13", "R15"])
    assert table["verdict"].tolist() == [r13, r15]


def test_students_that_diverged_have_not_reached_anything():
    frame = taught(0.0)
    frame.loc[frame["method"] == "distilled", ["diverged", "fashion_accuracy"]] = [True, math.nan]
    assert set(judged(frame, stepped(1.0)).query("claim == 'R13'")["state"]) == {"not reached"}


def test_steps_of_a_method_that_keeps_the_old_task(base: Policy, tasks: Tasks):
    arguments = dict(base_seed=0, learning_rate=3e-4, schedule="cosine", probes=3, **TRAINING)
    free, bound = (
        steps_of(base, tasks, partial(rehearsal, share=share), method="m", **arguments) for share in (0, 0.5)
    )
    assert bound["cosine"].mean() < free["cosine"].mean()  # rehearsal descends the old task's loss


def test_without_a_teacher_the_claim_is_not_tested():
    assert verdicts(law_checks(None, stepped(1.0), pd.DataFrame()), ["R13"])["verdict"].tolist() == ["not tested"]


def test_a_teacher_that_is_the_oracle_gives_sft_oracle(base: Policy, tasks: Tasks):
    """Same draws, same answers, same loss."""
    digits = tasks.digits.take(torch.arange(64))
    said = base.log_probs(digits.x).float()
    teacher = torch.nn.Module()
    teacher.forward = lambda x: oracle_log_probs(said, digits.label % 2)  # type: ignore[assignment]
    losses = [
        objective(base, Batch(digits.x, digits.label, said, torch.Generator().manual_seed(0))).item()
        for objective in (imitate(teacher), sft_oracle)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)

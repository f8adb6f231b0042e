"""SFT on what an RL-trained teacher says: is it the algorithm that forgets less, or the distribution that it found?

Claim R13 (arXiv 2509.04259, section 5): a student that learns the teacher's answers by SFT keeps what the teacher
kept. The paper does not say which teacher, nor whether wrong answers are left out; here they are not.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch.nn.functional as F
from torch import Tensor, nn

from forgetting.data import Tasks
from forgetting.finetuning import Plan, checkpoint_steps, descend
from forgetting.frontier import select
from forgetting.objectives import Batch, sample
from forgetting.points import class_accuracy, parity_accuracy, training_name
from forgetting.policy import Policy
from forgetting.training import Objective

REACHED = 0.96  # parity accuracy that a teacher should have
SLOWEST = 0.25  # of the teacher's learning rate: students at lower ones do not get where it is


def choose_teacher(points: pd.DataFrame, reached: float = REACHED) -> dict[str, Any]:
    """The RL training of one base seed to learn from: the lowest learning rate whose end reaches `reached` parity
    accuracy; the most accurate end where none does. Ties go to the shorter training, then by schedule's name.

    A row of `points`; the lowest rate, because a student can be as accurate as a teacher that is not the best there is.
    """
    final = select(points, "final").sort_values(["learning_rate", "epochs", "schedule"], kind="stable")
    good = final[final["parity_accuracy"] >= reached]
    chosen = good.iloc[0] if len(good) else final.iloc[int(final["parity_accuracy"].to_numpy().argmax())]
    return dict(chosen)


def imitate(teacher: nn.Module) -> Objective:
    """Cross-entropy to answers drawn anew at every step from the teacher's distribution on the batch."""

    def objective(policy: nn.Module, batch: Batch) -> Tensor:
        answers = sample(teacher(batch.x).detach().softmax(1), 1, batch.generator)[:, 0]
        return F.cross_entropy(policy(batch.x), answers)

    return objective


def fine_tuned(
    base: Policy,
    tasks: Tasks,
    objective: Objective,
    base_log_probs: Tensor,
    *,
    method: str,
    base_seed: int,
    learning_rate: float,
    schedule: str,
    epochs: int,
    batch_size: int,
    warmup: float,
    weight_decay: float,
    checkpoints: int,
    optimizer: str = "adamw",
    accuracy: str = "greedy",
    inner: int = 1,
) -> tuple[Policy, list[dict[str, Any]]]:
    """A fine-tuned copy of `base`, and both accuracies at each checkpoint: the training that `finetune` does, without
    the distances. Checkpoints that a diverging training does not reach are rows all the same, marked `diverged`."""
    training = training_name(method, base_seed, learning_rate, schedule, epochs)
    plan = Plan(learning_rate, schedule, epochs, batch_size, warmup, weight_decay, optimizer, inner)
    at, policy = checkpoint_steps(plan.steps(tasks.digits), checkpoints), base.copy()
    kept = accuracies(base, tasks, accuracy)["fashion_accuracy"]
    done = descend(policy, objective, tasks.digits, base_log_probs, plan, base_seed=base_seed, training=training)
    measured = {}
    for step in done:
        if step in at:
            found = accuracies(policy, tasks, accuracy)
            measured[step] = {**found, "forgetting": kept - found["fashion_accuracy"], "diverged": False}
    lost = {**dict.fromkeys(["parity_accuracy", "fashion_accuracy", "forgetting"], math.nan), "diverged": True}
    keys = {"method": method, "base_seed": base_seed, "training": training, "learning_rate": learning_rate}
    return policy, [
        {**keys, "checkpoint": number, "step": step, **measured.get(step, lost)} for number, step in enumerate(at, 1)
    ]


def accuracies(policy: Policy, tasks: Tasks, accuracy: str) -> dict[str, float]:
    """Share of test images answered right, on both tasks (see `points.share_right`)."""
    digits, clothes = tasks.digits_test, tasks.clothes_test
    return {
        "parity_accuracy": parity_accuracy(policy.log_probs(digits.x), digits.label, accuracy),
        "fashion_accuracy": class_accuracy(policy.log_probs(clothes.x), clothes.label, accuracy),
    }


def distil(
    base: Policy,
    tasks: Tasks,
    points: pd.DataFrame,
    objective: Objective,
    *,
    base_seed: int,
    rates: Sequence[float],
    inner: int = 1,
    **settings: Any,
) -> pd.DataFrame:
    """Checkpoints of a teacher (method `teacher`, its end only) and of its students at those of `rates` that are at
    least `SLOWEST` of its own.

    `points` are those of the teacher's method and base seed, `objective` is that method's: the teacher is trained
    once more, as it was, with its `inner` steps. `settings`: batch_size, warmup, weight_decay, checkpoints, optimizer,
    accuracy, as in `fine_tuned`. Raises RuntimeError if the teacher does not come out as in the points.
    """
    chosen = choose_teacher(points)
    grid = {"base_seed": base_seed, "schedule": chosen["schedule"], "epochs": int(chosen["epochs"]), **settings}
    base_log_probs = base.log_probs(tasks.digits.x).float()
    teacher, rows = fine_tuned(
        base, tasks, objective, base_log_probs,
        method=chosen["method"], learning_rate=float(chosen["learning_rate"]), inner=inner, **grid,
    )  # fmt: skip
    found = [rows[-1][name] for name in ("parity_accuracy", "fashion_accuracy")]
    if not np.allclose(found, [chosen["parity_accuracy"], chosen["fashion_accuracy"]], atol=1e-9):
        raise RuntimeError(f"Teacher {chosen['training']} came out otherwise than in the points: run them again.")
    rows = [{**rows[-1], "method": "teacher"}]
    for rate in (rate for rate in rates if rate >= SLOWEST * chosen["learning_rate"]):
        rows += fine_tuned(
            base, tasks, imitate(teacher), base_log_probs, method="distilled", learning_rate=rate, **grid
        )[1]
    return pd.DataFrame(rows)

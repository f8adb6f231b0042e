"""Points: one tidy row a checkpoint, and the one table that holds them all.

| column | meaning |
|---|---|
| method, learning_rate, schedule, epochs, base_seed | what was trained, and how |
| training | name of the training, unique over the table: method/base_seed/learning_rate/schedule/epochs |
| checkpoint, step | 1…c, and the optimizer steps done by then |
| parity_accuracy, fashion_accuracy | share of test images answered right (finetuning.accuracy), new and old task |
| forgetting | the base policy's fashion accuracy minus this one's; negative when it got better |
| diverged | true where the loss or a measure is not finite, or the forward KL is beyond the stated bound |
| the predictors | see `distances`; NaN before the end of a training for those that are measured only there |
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
import torch
from torch import Tensor

from forgetting.completeness import check_complete
from forgetting.data import Images, Tasks
from forgetting.distances import ACTIVATIONS, LAST, OUTPUTS, WEIGHTS, Reference, columns
from forgetting.fisher import diagonal_fisher
from forgetting.objectives import right_answers
from forgetting.policy import Policy, Seen

KEYS = ["method", "base_seed", "learning_rate", "schedule", "epochs"]


def training_name(method: str, base_seed: int, learning_rate: float, schedule: str, epochs: int) -> str:
    """Unique name of a training, made of what defines it (so the order of a grid changes nothing)."""
    return f"{method}/{base_seed}/{learning_rate:.3e}/{schedule}/{epochs}"


def share_right(log_probs: Tensor, right: Tensor, accuracy: str) -> float:
    """Share of right answers, `right` [n, 10] saying which are: of most probable ones (`greedy`), or of those that the
    policy would draw (`sampled`), in expectation."""
    if accuracy == "greedy":
        return right.gather(1, log_probs.argmax(1, keepdim=True)).double().mean().item()
    return (log_probs.exp() * right).sum(1).mean().item()


def parity_accuracy(log_probs: Tensor, digit: Tensor, accuracy: str = "greedy") -> float:
    """Share of digits [n] whose answer has the right parity (see `share_right`)."""
    return share_right(log_probs, right_answers(digit % 2), accuracy)


def class_accuracy(log_probs: Tensor, label: Tensor, accuracy: str = "greedy") -> float:
    """Share of images whose answer is their class [n] (see `share_right`)."""
    return share_right(log_probs, torch.arange(log_probs.shape[1]) == label[:, None], accuracy)


@dataclass(frozen=True)
class Baseline:
    """A base policy with what it says on the test images, against which every checkpoint is measured.

    Without a `reference` only the distances between outputs are.
    """

    policy: Policy
    reference: Reference | None
    digits: Images
    clothes: Images
    new: Seen
    old: Seen
    accuracy: str = "greedy"

    @classmethod
    def of(cls, policy: Policy, tasks: Tasks, accuracy: str = "greedy", outputs_only: bool = False) -> "Baseline":
        """Evaluate `policy` once; its Fisher information is that on the test images of the old task.

        `accuracy`: of `greedy` answers, or of `sampled` ones (see `share_right`).
        """
        digits, clothes = tasks.digits_test, tasks.clothes_test
        lit = (tasks.digits.x != 0).any(0)
        reference = None if outputs_only else Reference(policy, diagonal_fisher(policy, clothes.x), lit)
        return cls(policy, reference, digits, clothes, policy.see(digits.x), policy.see(clothes.x), accuracy)


@torch.no_grad()
def measure(baseline: Baseline, policy: Policy, diverged_above: float, last: bool = False) -> dict[str, float | bool]:
    """Accuracies, forgetting and every distance of `policy` to its base, and whether it has diverged.

    New-task measures use the digits, old-task ones the clothes; `last` says whether this is a training's end, where
    the dear predictors are measured too. `diverged_above`: forward KL on the new task in nats beyond which a policy
    counts as diverged.
    """
    new, old = policy.see(baseline.digits.x), policy.see(baseline.clothes.x)
    clothes = partial(class_accuracy, label=baseline.clothes.label, accuracy=baseline.accuracy)
    fashion = clothes(old.log_probs)
    row: dict[str, float | bool] = {
        "parity_accuracy": parity_accuracy(new.log_probs, baseline.digits.label, baseline.accuracy),
        "fashion_accuracy": fashion,
        "forgetting": clothes(baseline.old.log_probs) - fashion,
    }
    for name, on_outputs in OUTPUTS.items():
        row[f"{name}_new"] = on_outputs(baseline.new.log_probs, new.log_probs).item()
        row[f"{name}_old"] = on_outputs(baseline.old.log_probs, old.log_probs).item()
    if baseline.reference is not None:
        for name, on_activations in ACTIVATIONS.items():
            if last or name not in LAST:
                row[f"{name}_new"] = defined(on_activations, baseline.new.hidden, new.hidden)
                row[f"{name}_old"] = defined(on_activations, baseline.old.hidden, old.hidden)
        for name, on_weights in WEIGHTS.items():
            if last or name not in LAST:
                row[name] = defined(on_weights, baseline.reference, policy)
    finite = all(math.isfinite(value) for value in row.values())
    unmeasured = dict.fromkeys((column for column in columns() if column not in row), math.nan)
    return {**row, **unmeasured, "diverged": not (finite and row["forward_kl_new"] <= diverged_above)}


def defined(predictor: Callable[..., Tensor], *arguments: object) -> float:
    """The predictor's value; NaN, which marks the row as diverged, where the policy is too broken to have one."""
    try:
        return predictor(*arguments).item()
    except ArithmeticError:
        return math.nan


def lost() -> dict[str, float | bool]:
    """The row of a checkpoint that a training did not live to see: kept, empty, marked as diverged."""
    measures = ["parity_accuracy", "fashion_accuracy", "forgetting", *columns()]
    return {**dict.fromkeys(measures, math.nan), "diverged": True}


def frame(rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Rows as a table with the columns in their fixed order."""
    order = [
        *KEYS,
        "training",
        "checkpoint",
        "step",
        "parity_accuracy",
        "fashion_accuracy",
        "forgetting",
        "diverged",
    ]
    return pd.DataFrame(list(rows))[order + columns()]


def gather(parts: Iterable[pd.DataFrame], expected: set[str], checkpoints: int) -> pd.DataFrame:
    """All points, sorted; raises ValueError unless every expected training is there with all its checkpoints."""
    points = pd.concat(parts, ignore_index=True)
    check_complete(points, expected, checkpoints)
    return points.sort_values([*KEYS, "checkpoint"], ignore_index=True)

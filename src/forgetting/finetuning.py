"""One job of the parity line: every training of one method from one base policy."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product, repeat
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import torch
from torch import Tensor, nn
from tqdm import tqdm

from forgetting import seeds
from forgetting.adapters import Adapted
from forgetting.data import Images, Tasks
from forgetting.objectives import Batch, Before
from forgetting.points import Baseline, frame, lost, measure, training_name
from forgetting.policy import Policy
from forgetting.training import Objective, epoch_batches, learning_rates, train

Keep = Callable[[Policy, str, int], None]


def checkpoint_steps(steps: int, checkpoints: int) -> list[int]:
    """Steps after which to measure: evenly spaced, the last one at the end.

    Raises ValueError when there are fewer steps than checkpoints.
    """
    if steps < checkpoints:
        raise ValueError(
            f"{checkpoints} checkpoints do not fit into a training of {steps} steps: "
            "lower finetuning.checkpoints or raise data.digits."
        )
    return [round(steps * k / checkpoints) for k in range(1, checkpoints + 1)]


def digit_batches(
    digits: Images,
    base_log_probs: Tensor,
    base_seed: int,
    training: str,
    batch_size: int,
    epochs: int,
    before: Before | None = None,
    inner: int = 1,
    draws: int = 0,
) -> Iterator[Batch]:
    """Batches of the new task, each `inner` times, with what may be kept of the old one.

    All trainings from one base see the images in the same order, so that methods are compared on equal terms; labels
    and actions are each training's own. Another number `draws` gives another order, other labels and actions.
    """
    order = seeds.generator("finetuning", base_seed, draws, "order")
    own = seeds.generator("finetuning", base_seed, draws, "own", training)
    fixed = torch.rand(len(digits.label), generator=seeds.generator("finetuning", base_seed, draws, "fixed"))
    for rows in epoch_batches(len(digits.label), batch_size, epochs, order):
        batch = Batch(digits.x[rows], digits.label[rows], base_log_probs[rows], own, before, fixed[rows])
        yield from repeat(batch, inner)


class Plan(NamedTuple):
    """How a training on the digits goes."""

    learning_rate: float
    schedule: str
    epochs: int
    batch_size: int
    warmup: float
    weight_decay: float = 0.0
    optimizer: str = "adamw"
    inner: int = 1  # steps on each batch
    draws: int = 0  # number of the streams that order, labels and actions are drawn from

    def steps(self, digits: Images) -> int:
        """Optimizer steps in all."""
        return self.epochs * -(-len(digits.label) // self.batch_size) * self.inner


def descend(
    policy: nn.Module,
    objective: Objective,
    digits: Images,
    base_log_probs: Tensor,
    plan: Plan,
    *,
    base_seed: int,
    training: str,
    before: Before | None = None,
) -> Iterator[int]:
    """Descend `objective` on the digits, in place; yields the number of each step when it is done, as `train` does.

    `training` names the stream of the training's own draws.
    """
    rates = learning_rates(plan.learning_rate, plan.schedule, plan.steps(digits), plan.warmup)
    batches = digit_batches(
        digits, base_log_probs, base_seed, training, plan.batch_size, plan.epochs, before, plan.inner, plan.draws
    )
    return train(policy, objective, batches, rates, plan.weight_decay, plan.optimizer)


def one_epoch(
    base: Policy,
    objective: Objective,
    digits: Images,
    base_log_probs: Tensor,
    learning_rate: float,
    *,
    base_seed: int,
    training: str,
    batch_size: int = 64,
) -> Policy:
    """What a short training makes of a copy of the base: one epoch, a tenth of it warm-up, then cosine."""
    policy, plan = base.copy(), Plan(learning_rate, "cosine", 1, batch_size, 0.1)
    for _ in descend(policy, objective, digits, base_log_probs, plan, base_seed=base_seed, training=training):
        pass
    return policy


def finetune(
    baseline: Baseline,
    tasks: Tasks,
    objective: Objective,
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
    diverged_above: float,
    base_log_probs: Tensor,
    optimizer: str = "adamw",
    inner: int = 1,
    draws: int = 0,
    before: Before | None = None,
    adapt: Callable[[Policy], Adapted] = Policy.copy,
    keep: Keep = lambda policy, training, step: None,
) -> list[dict[str, object]]:
    """Fine-tune what `adapt` makes of the base (a copy) on the new task; a row for each of its `checkpoints`.

    A training whose loss stops being finite ends there; the checkpoints that it did not reach are rows all the
    same, marked `diverged`. `keep(policy, training, step)` is called at each checkpoint that was reached.
    """
    keys = {
        "method": method,
        "base_seed": base_seed,
        "learning_rate": learning_rate,
        "schedule": schedule,
        "epochs": epochs,
    }
    training = training_name(method, base_seed, learning_rate, schedule, epochs)
    policy = adapt(baseline.policy)
    plan = Plan(learning_rate, schedule, epochs, batch_size, warmup, weight_decay, optimizer, inner, draws)
    at = checkpoint_steps(plan.steps(tasks.digits), checkpoints)
    done = descend(
        policy, objective, tasks.digits, base_log_probs, plan, base_seed=base_seed, training=training, before=before
    )
    measured = {}
    for step in done:
        if step in at:
            measured[step] = measure(baseline, policy.merged(), diverged_above, last=step == at[-1])
            keep(policy.merged(), training, step)
    return [
        {**keys, "training": training, "checkpoint": number, "step": step, **measured.get(step, lost())}
        for number, step in enumerate(at, start=1)
    ]


def kept_from(base: Policy, tasks: Tasks) -> Before:
    """What a method may keep of the old task: the base and its training images."""
    return Before(base, tasks.clothes.x, tasks.clothes.label)


class Start(NamedTuple):
    """A base policy as a place to start from: what all trainings from it share."""

    baseline: Baseline
    log_probs: Tensor  # [n, 10] log π₀(answer | x) on the digits
    before: Before

    @classmethod
    def of(cls, base: Policy, tasks: Tasks, accuracy: str = "greedy", outputs_only: bool = False) -> "Start":
        """From `base`; `accuracy` and `outputs_only` as in `Baseline.of`."""
        baseline = Baseline.of(base, tasks, accuracy, outputs_only)
        return cls(baseline, base.log_probs(tasks.digits.x).float(), kept_from(base, tasks))


def finetune_grid(
    start: Start,
    tasks: Tasks,
    objective: Objective,
    *,
    method: str,
    base_seed: int,
    rates: Sequence[float],
    schedules: Sequence[str],
    epochs: Sequence[int],
    keep_checkpoints: str = "none",
    checkpoint_folder: Path | None = None,
    **settings: float | int | str,
) -> pd.DataFrame:
    """Points of every learning rate × schedule × number of epochs. `settings` as in `finetune`.

    `keep_checkpoints` (none, final, all) says which weights go to `checkpoint_folder`, as safetensors.
    """
    grid = list(product(rates, schedules, epochs))

    def keep(policy: Policy, training: str, step: int) -> None:
        if keep_checkpoints != "none" and checkpoint_folder is not None:
            name = training.replace("/", "_") + (f"_{step}" if keep_checkpoints == "all" else "")
            policy.save(checkpoint_folder / f"{name}.safetensors")

    rows = []
    for rate, schedule, length in tqdm(grid, desc=f"{method}, base {base_seed}", mininterval=10, unit="training"):
        rows += finetune(
            start.baseline,
            tasks,
            objective,
            method=method,
            base_seed=base_seed,
            learning_rate=rate,
            schedule=schedule,
            epochs=length,
            base_log_probs=start.log_probs,
            before=start.before,
            keep=keep,
            **settings,  # type: ignore[arg-type]
        )
    return frame(rows)

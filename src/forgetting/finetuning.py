"""One job of the parity line: every training of one method from one base policy."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

import pandas as pd
from torch import Tensor
from tqdm import tqdm

from forgetting import seeds
from forgetting.data import Images, Tasks
from forgetting.objectives import Batch
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
    digits: Images, base_log_probs: Tensor, base_seed: int, training: str, batch_size: int, epochs: int
) -> Iterator[Batch]:
    """Batches of the new task. All trainings from one base see the images in the same order, so that methods are
    compared on equal terms; labels and actions are each training's own."""
    order = seeds.generator("finetuning", base_seed, "order")
    draws = seeds.generator("finetuning", base_seed, "draws", training)
    for rows in epoch_batches(len(digits.label), batch_size, epochs, order):
        yield Batch(digits.x[rows], digits.label[rows], base_log_probs[rows], draws)


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
    keep: Keep = lambda policy, training, step: None,
) -> list[dict[str, object]]:
    """Fine-tune a copy of the base on the new task; a row for each of its `checkpoints`.

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
    steps = epochs * -(-len(tasks.digits.label) // batch_size)
    rates = learning_rates(learning_rate, schedule, steps, warmup)
    policy = baseline.reference.policy.copy()
    at = checkpoint_steps(steps, checkpoints)
    measured = {}
    for step in train(
        policy,
        objective,
        digit_batches(tasks.digits, base_log_probs, base_seed, training, batch_size, epochs),
        rates,
        weight_decay,
    ):
        if step in at:
            measured[step] = measure(baseline, policy, diverged_above, last=step == steps)
            keep(policy, training, step)
    return [
        {**keys, "training": training, "checkpoint": number, "step": step, **measured.get(step, lost())}
        for number, step in enumerate(at, start=1)
    ]


def finetune_grid(
    base: Policy,
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
    **settings: float | int,
) -> pd.DataFrame:
    """Points of every learning rate × schedule × number of epochs. `settings` as in `finetune`.

    `keep_checkpoints` (none, final, all) says which weights go to `checkpoint_folder`, as safetensors.
    """
    baseline = Baseline.of(base, tasks)
    base_log_probs = base.log_probs(tasks.digits.x).float()
    grid = list(product(rates, schedules, epochs))

    def keep(policy: Policy, training: str, step: int) -> None:
        if keep_checkpoints != "none" and checkpoint_folder is not None:
            name = training.replace("/", "_") + (f"_{step}" if keep_checkpoints == "all" else "")
            policy.save(checkpoint_folder / f"{name}.safetensors")

    rows = []
    for rate, schedule, length in tqdm(grid, desc=f"{method}, base {base_seed}", mininterval=10, unit="training"):
        rows += finetune(
            baseline,
            tasks,
            objective,
            method=method,
            base_seed=base_seed,
            learning_rate=rate,
            schedule=schedule,
            epochs=length,
            base_log_probs=base_log_probs,
            keep=keep,
            **settings,  # type: ignore[arg-type]
        )
    return frame(rows)

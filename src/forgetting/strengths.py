"""Methods that hold on to the old task, each over a grid of its strength: trainings of the anchors line on images.

The points are those of the parity line (see `points`) with one column more, `strength`. What is varied is an option of
the objective, or one of ADAPTED: the rank of LoRA, the learning rate, or the number of digits that are seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import torch
from tqdm import tqdm

from forgetting import registry, seeds
from forgetting.adapters import LoRA
from forgetting.data import Tasks
from forgetting.finetuning import Start, finetune
from forgetting.points import frame
from forgetting.policy import Policy

ADAPTED = ("rank", "learning_rate", "digits")


@dataclass(frozen=True)
class Varied:
    """A method, its fixed options, what is varied (an option, or one of ADAPTED) and the values it takes.

    learning_rate: its own, where it is not that of all.
    """

    objective: str
    vary: str
    values: Sequence[float]
    options: Mapping[str, object]
    learning_rate: float | None = None


def retained_points(
    base: Policy,
    tasks: Tasks,
    method: str,
    varied: Varied,
    *,
    base_seed: int,
    learning_rate: float,
    schedule: str,
    accuracy: str = "greedy",
    **settings: float | int | str,
) -> pd.DataFrame:
    """Points of one method from one base, at every strength, one epoch each. `settings` as in `finetuning.finetune`.

    Only distances between outputs are measured: the law is asked about forward KL.
    """
    start, tables = Start.of(base, tasks, accuracy, outputs_only=True), []
    for value in tqdm(varied.values, desc=f"{method}, base {base_seed}", mininterval=10, unit="training"):
        own = {} if varied.vary in ADAPTED else {varied.vary: value}
        seen = min(round(value) if varied.vary == "digits" else 60_000, len(tasks.digits.label))
        rank = partial(LoRA, rank=round(value), generator=seeds.generator("lora", base_seed, method, value))
        rows = finetune(
            start.baseline,
            replace(tasks, digits=tasks.digits.take(torch.arange(seen))),
            registry.load(varied.objective, {**varied.options, **own}),
            method=method,
            base_seed=base_seed,
            learning_rate=value if varied.vary == "learning_rate" else varied.learning_rate or learning_rate,
            schedule=schedule,
            epochs=1,
            base_log_probs=start.log_probs,
            before=start.before,
            adapt=rank if varied.vary == "rank" else Policy.copy,
            **settings,  # type: ignore[arg-type]
        )
        points = frame(rows).assign(strength=float(value))
        tables.append(points.assign(training=points["training"] + f"/{varied.vary}={value:g}"))
    return pd.concat(tables, ignore_index=True)

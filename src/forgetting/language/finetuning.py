"""One job of the language line: every training of every method from one base."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import pandas as pd
from tqdm import tqdm
from transformers import PreTrainedModel, TrainerCallback

from forgetting.language import methods
from forgetting.language.evaluation import Baseline, measure
from forgetting.language.points import KEYS, rows_of, training_name
from forgetting.language.tasks import Item
from forgetting.results import Estimate

Measures = dict[str, Estimate]
LATE = 0.4  # share of a training after which it is measured: before, little has happened


def late_steps(steps: int, checkpoints: int) -> list[int]:
    """Steps after which to measure: evenly spaced from LATE of the training to its end.

    Raises ValueError when there are fewer steps than checkpoints.
    """
    first = LATE if checkpoints > 1 else 1.0
    at = [round(steps * (first + (1 - first) * k / max(1, checkpoints - 1))) for k in range(checkpoints)]
    if len(set(at)) < checkpoints or at[0] < 1:
        raise ValueError(
            f"{checkpoints} checkpoints do not fit into a training of {steps} steps: "
            "lower language.finetuning.checkpoints or raise its steps."
        )
    return at


class Measurement(TrainerCallback):  # type: ignore[misc]
    """Measures the model at some steps, without leaving a trace in the training; stops it when weights diverge."""

    def __init__(self, baseline: Baseline, at: Sequence[int], training: str) -> None:
        self.baseline, self.at, self.training = baseline, at, training
        self.found: dict[int, Measures] = {}

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Called by the trainer after each step, with the `model`."""
        model: PreTrainedModel = rest["model"]
        if not all(weights.isfinite().all() for weights in model.parameters()):
            control.should_training_stop = True
        elif state.global_step in self.at:
            training = model.training
            model.eval()
            path = ("language", self.baseline.base_seed, "measured", self.training, state.global_step)
            self.found[state.global_step] = measure(self.baseline, model, *path)
            model.train(training)


def finetune(
    baseline: Baseline,
    items: Sequence[Item],
    method: Mapping[str, Any],
    training: str,
    learning_rate: float,
    *,
    steps: int,
    checkpoints: int,
    lora: int | None,
    **told: Any,
) -> dict[int, Measures | None]:
    """What was measured of a fine-tuned copy of the base at each checkpoint's step; None where it did not get there.

    `method` holds the trainer (sft | grpo) and its options; `told` goes to `methods.arguments`.
    """
    settings = methods.arguments(("language", "training", training), learning_rate, steps=steps, **told)
    model, adapters = deepcopy(baseline.model), methods.lora(lora)
    if method["trainer"] == "grpo":
        trainer = methods.grpo(model, baseline, items, settings, adapters, **method["options"])
    else:
        trainer = methods.sft(model, baseline.tokenizer, items, settings, adapters)
    at = late_steps(steps, checkpoints)
    watch = Measurement(baseline, at, training)
    trainer.add_callback(watch)
    methods.train(trainer)
    return {step: watch.found.get(step) for step in at}


def items_for(baseline: Baseline, method: str, settings: Mapping[str, Any], count: int) -> Sequence[Item]:
    """At most `count` items that a method learns from: questions, with demonstrations, or with the oracle's answers."""
    questions = baseline.task.train[:count]
    if settings["trainer"] == "grpo":
        return questions
    kind = settings["options"]["demonstrations"]
    if kind == "oracle":
        return methods.oracle(baseline, questions)
    return methods.demonstrations(questions, kind, "language", baseline.base_seed, "demonstrations", method)


def finetune_grid(
    baseline: Baseline,
    trainings: Mapping[str, Mapping[str, Any]],
    *,
    rates: Sequence[float],
    schedule: str,
    diverged_above: float,
    **settings: Any,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Points and measures (see `language.points`) of every method × learning rate from one base."""
    grid = [(method, rate) for method in trainings for rate in rates]
    count = settings["steps"] * settings["batch_size"]
    items = {method: items_for(baseline, method, how, count) for method, how in trainings.items()}
    rows, measures = [], []
    for method, rate in tqdm(grid, desc=f"base {baseline.base_seed}", mininterval=10, unit="training"):
        defining = (method, baseline.base_seed, rate, schedule, 1)
        keys, training = dict(zip(KEYS, defining, strict=True)), training_name(*defining)
        found = finetune(baseline, items[method], trainings[method], training, rate, schedule=schedule, **settings)
        point_rows, measure_rows = rows_of(keys, training, found, baseline.old, diverged_above)
        rows += point_rows
        measures += measure_rows
    return pd.DataFrame(rows), pd.DataFrame(measures)

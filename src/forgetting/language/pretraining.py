"""The base: a small Llama taught several skills at once, and the conditions under which it is one to fine-tune.

It must know the old skills and the new task's rule, and stay spread over many right answers: a base that is certain
of one answer gives GRPO groups with equal rewards, from which nothing is learned.
"""

import numpy as np
import pandas as pd
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from forgetting.language import methods
from forgetting.language.evaluation import Baseline, right_mass
from forgetting.language.model import scratch_model, scratch_tokenizer
from forgetting.language.tasks import pretraining_items

OLD, NEW, SPREAD = 0.95, 0.45, 0.2  # least accuracy of an old skill, of the new task; least 10th percentile of mass


def pretrain(
    base_seed: int,
    *,
    width: int,
    layers: int,
    heads: int,
    steps: int,
    batch_size: int,
    learning_rate: float,
    new_share: float,
    known: float,
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Model and tokenizer; `known` and `new_share` as in `tasks.pretraining_items`."""
    tokenizer = scratch_tokenizer()
    model = scratch_model(tokenizer, base_seed, width=width, layers=layers, heads=heads)
    items = pretraining_items(base_seed, steps * batch_size, new_share, known)
    told = methods.arguments(
        ("language", "pretraining", base_seed, known),
        learning_rate,
        steps=steps,
        batch_size=batch_size,
        schedule="cosine",
        warmup=0.05,
        weight_decay=0.0,
    )
    methods.train(methods.sft(model, tokenizer, items, told))
    return model.eval(), tokenizer


def conditions(baseline: Baseline, scratch: bool) -> pd.DataFrame:
    """One row a condition: condition, value, bound, holds.

    The bounds are those of the scratch recipe; of a published model the accuracies are stated (bound NaN, holds).
    """
    values = {f"old skill: {name}": (skill.value, OLD) for name, skill in baseline.skills(baseline.model).items()}
    values["new task, sampled"] = (float(baseline.scores(baseline.answers).mean()), NEW)
    if scratch:
        mass = right_mass(baseline.model, baseline.tokenizer, baseline.task.test)
        values["new task, mass on right answers"] = (float(mass.mean()), NEW)
        values["10th percentile of that mass"] = (float(np.quantile(mass, 0.1)), SPREAD)
    rows = [(name, value, bound if scratch else np.nan) for name, (value, bound) in values.items()]
    table = pd.DataFrame(rows, columns=["condition", "value", "bound"])
    return table.assign(holds=table["bound"].isna() | (table["value"] >= table["bound"]))

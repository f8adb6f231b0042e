"""Points of the language line: the columns of the parity line, so that its statistics take them as they are.

| column | meaning here |
|---|---|
| method, base_seed, learning_rate, schedule, epochs | what was trained, and how; epochs is 1: no question comes twice |
| training, checkpoint, step | its unique name, 1…c, and the optimizer steps done by then |
| parity_accuracy | share of right answers to the new task's test questions, sampled at temperature 1 |
| fashion_accuracy | mean accuracy over the old skills |
| forgetting | the base's mean accuracy over the old skills minus this one's |
| forward_kl_new, reverse_kl_new | sequence-level KL on the new task's test questions, nats |
| diverged | a measure is not finite, or the forward KL is beyond the stated bound, or the weights were not finite |

Measures: one row a measured quantity of a checkpoint (training, checkpoint, quantity, value, standard_error, n): what
the points hold with the error of sampling it, and each old skill.
"""

import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from forgetting.completeness import check_complete
from forgetting.results import Estimate

KEYS = ["method", "base_seed", "learning_rate", "schedule", "epochs"]
NEW = ["parity_accuracy", "forward_kl_new", "reverse_kl_new"]
PREDICTORS = ["forward_kl_new", "reverse_kl_new"]

Row = dict[str, object]


def training_name(method: str, base_seed: int, learning_rate: float, schedule: str, epochs: int) -> str:
    """Unique name of a training, made of what defines it."""
    return f"{method}/{base_seed}/{learning_rate:.3e}/{schedule}/{epochs}"


def old_accuracy(measures: Mapping[str, Estimate]) -> float:
    """Mean accuracy over the old skills: every measure that is none of the new task's."""
    return float(np.mean([found.value for name, found in measures.items() if name not in NEW]))


def point(measures: Mapping[str, Estimate] | None, base_old: float, diverged_above: float) -> Row:
    """The measured part of a point; empty and marked as diverged where the training did not live to be measured."""
    if measures is None:
        return {**dict.fromkeys([NEW[0], "fashion_accuracy", "forgetting", *PREDICTORS], math.nan), "diverged": True}
    values = {name: measures[name].value for name in NEW}
    old = old_accuracy(measures)
    finite = all(math.isfinite(value) for value in (*values.values(), old))
    diverged = not (finite and values["forward_kl_new"] <= diverged_above)
    return {**values, "fashion_accuracy": old, "forgetting": base_old - old, "diverged": diverged}


def rows_of(
    keys: Row, training: str, found: Mapping[int, Mapping[str, Estimate] | None], base_old: float, diverged_above: float
) -> tuple[list[Row], list[Row]]:
    """Rows of points and of measures of one training, from what was found at each checkpoint's step."""
    points: list[Row] = []
    measured: list[Row] = []
    for checkpoint, (step, measures) in enumerate(found.items(), start=1):
        place = {"training": training, "checkpoint": checkpoint}
        points.append({**keys, **place, "step": step, **point(measures, base_old, diverged_above)})
        for name, estimate in (measures or {}).items():
            what = {"quantity": name, "value": estimate.value, "standard_error": estimate.standard_error}
            measured.append({**place, **what, "n": estimate.n})
    return points, measured


def gather(parts: Iterable[pd.DataFrame], expected: set[str], checkpoints: int) -> pd.DataFrame:
    """All points, sorted; raises ValueError unless every expected training is there with all its checkpoints."""
    points = pd.concat(parts, ignore_index=True)
    check_complete(points, expected, checkpoints)
    columns = [*KEYS, "training", "checkpoint", "step", NEW[0], "fashion_accuracy", "forgetting", "diverged"]
    return points.sort_values([*KEYS, "checkpoint"], ignore_index=True)[columns + PREDICTORS]

"""How open a base leaves the choice among right answers: what may decide where RL ends.

Policy gradients make the likeliest right answer likelier; a base that is near uniform over the five right digits
gives them less to build on. `base_entropy` is the one place where that openness is measured.
"""

import math
from collections.abc import Mapping

import pandas as pd
from torch import Tensor

from forgetting.data import Tasks
from forgetting.matched import JUDGED, matched_accuracy
from forgetting.objectives import oracle_log_probs
from forgetting.points import class_accuracy, parity_accuracy
from forgetting.policy import Policy

LARGEST = math.log(5)  # entropy of a base that is uniform over the right digits


def base_entropy(log_probs: Tensor, parity: Tensor) -> Tensor:
    """Entropy over the right digits, in nats, mean over inputs: log-probabilities [n, 10] renormalised over the right
    parity [n]; between 0 and ln 5."""
    right = oracle_log_probs(log_probs, parity)
    p = right.exp()
    return -(p * right.masked_fill(p == 0, 0)).sum(1).mean()


def describe(base: Policy, tasks: Tasks) -> dict[str, float]:
    """Accuracies of a base on both tasks and its entropy over the right digits, on test images."""
    digits, clothes = tasks.digits_test, tasks.clothes_test
    said = base.log_probs(digits.x)
    return {
        "parity_accuracy": parity_accuracy(said, digits.label),
        "fashion_accuracy": class_accuracy(base.log_probs(clothes.x), clothes.label),
        "entropy": base_entropy(said, digits.label % 2).item(),
    }


def at_matched(points: pd.DataFrame, method: str, target: float = JUDGED) -> pd.DataFrame:
    """Forward KL and clothes accuracy of a method at `target` parity accuracy, interpolated along each base seed's
    frontier: columns <method>_kl, <method>_fashion by base_seed; NaN where it is not reached."""
    own = points[points["method"] == method]
    columns = {f"{method}_kl": "forward_kl_new", f"{method}_fashion": "fashion_accuracy"}
    return pd.DataFrame(
        {name: matched_accuracy(own, [target], of).set_index("base_seed")[of] for name, of in columns.items()}
    )


def bases_table(bases: Mapping[int, Policy], tasks: Tasks, points: pd.DataFrame) -> pd.DataFrame:
    """One row a base seed: `describe` of its base, beside what GRPO has moved and kept at 96 % parity, where the run
    has GRPO."""
    table = pd.DataFrame.from_dict({seed: describe(base, tasks) for seed, base in bases.items()}, orient="index")
    table = table.rename_axis("base_seed")
    if "grpo" in set(points["method"]):
        table = table.join(at_matched(points, "grpo"))
    return table.reset_index()

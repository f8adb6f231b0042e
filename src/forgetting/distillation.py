"""SFT on what an RL-trained teacher says: is it the algorithm that forgets less, or the distribution that it found?

Claim R13 (arXiv 2509.04259, section 5): a student that learns the teacher's answers by SFT keeps what the teacher
kept. The paper does not say which teacher, nor whether wrong answers are left out; here they are not.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import torch.nn.functional as F
from torch import Tensor, nn

from forgetting.data import Tasks
from forgetting.finetuning import Start, finetune
from forgetting.frontier import select
from forgetting.objectives import Batch, sample
from forgetting.points import frame
from forgetting.policy import Policy
from forgetting.training import Objective

REACHED = 0.96  # parity accuracy that a teacher should have
LONGER = 2  # epochs of a student for one of its teacher: with as many, some end just below the teacher's parity
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


def distil(
    base: Policy,
    tasks: Tasks,
    points: pd.DataFrame,
    objective: Objective,
    *,
    base_seed: int,
    rates: Sequence[float],
    accuracy: str = "greedy",
    inner: int = 1,
    **settings: Any,
) -> pd.DataFrame:
    """Checkpoints of a teacher (method `teacher`, its end only) and of its students, `LONGER` times as long, at those
    of `rates` that are at least `SLOWEST` of its own; columns of `points`, of which only distances between outputs are
    measured.

    `points` are those of the teacher's method and base seed, `objective` and `inner` are that method's: the teacher is
    trained once more, as it was. `settings` as in `finetuning.finetune`, `accuracy` as in `Baseline.of`. Raises
    RuntimeError if the teacher does not come out as in the points.
    """
    chosen = choose_teacher(points)
    start = Start.of(base, tasks, accuracy, outputs_only=True)
    grid = {"base_seed": base_seed, "schedule": chosen["schedule"], "epochs": int(chosen["epochs"]), **settings}
    grid |= {"base_log_probs": start.log_probs, "before": start.before}
    seen: list[Policy] = []
    taught = finetune(
        start.baseline, tasks, objective, method=chosen["method"], learning_rate=float(chosen["learning_rate"]),
        inner=inner, keep=lambda policy, training, step: seen.append(policy), **grid,
    )  # fmt: skip
    end = frame(taught).iloc[-1]
    if not all(abs(end[name] - chosen[name]) < 1e-9 for name in ("parity_accuracy", "fashion_accuracy")):
        raise RuntimeError(f"Teacher {chosen['training']} came out otherwise than in the points: run them again.")
    rows, answers = [{**taught[-1], "method": "teacher"}], imitate(seen[-1])
    for rate in (rate for rate in rates if rate >= SLOWEST * chosen["learning_rate"]):
        longer = {**grid, "epochs": LONGER * grid["epochs"]}
        rows += finetune(start.baseline, tasks, answers, method="distilled", learning_rate=rate, **longer)
    return frame(rows)

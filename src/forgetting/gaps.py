"""Bases with a gap: policies that answer some digits right with probability p exactly, and how far GRPO and SFT get.

A base taught p itself comes near it on average and misses it by orders of magnitude on single images. So it is taught
to be undecided on those digits, and a frozen shift of the logits, one an input, takes it from there to p: every policy
that starts from the base begins with it too.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from forgetting import seeds
from forgetting.anchors.reach import LIFTED
from forgetting.base import few
from forgetting.data import Images, Tasks
from forgetting.finetuning import one_epoch
from forgetting.objectives import Batch, grpo, right_answers, sft_1
from forgetting.policy import SIZES, Policy
from forgetting.training import Objective, epoch_batches, learning_rates, train

HARD = (4, 9)  # the digits of the gap, one of each parity
GROUP = 8  # answers that GRPO samples an image
PIXELS = SIZES[0]


class Shifted(Policy):
    """x [n, 795] → logits [n, 10]: those of x[:, :785], and the shift x[:, 785:] that each input brings along."""

    def forward(self, x: Tensor) -> Tensor:
        """Logits [n, 10] of inputs [n, 795]."""
        logits: Tensor = super().forward(x[:, :PIXELS]) + x[:, PIXELS:]
        return logits


def hard(digit: Tensor) -> Tensor:
    """[n] whether a digit is one of the gap's."""
    return torch.isin(digit, torch.tensor(HARD))


def gap_targets(digit: Tensor) -> Tensor:
    """[n, 10] what the base is to say of digits: uniform over the five of the right parity; on the gap, over all."""
    right = right_answers(digit % 2)
    return torch.where(hard(digit)[:, None], 0.1, right / 5)


def gap_base(tasks: Tasks, base_seed: int, *, images: int, epochs: int, learning_rate: float) -> Shifted:
    """A base trained as those of the parity line, on `images` of each task, but undecided on the gap."""
    draw = seeds.generator("gap", base_seed, "images")
    digits, clothes = (few(part, images, draw) for part in (tasks.digits, tasks.clothes))
    x = F.pad(torch.cat([digits.x, clothes.x]), (0, 10))
    target = torch.cat([gap_targets(digits.label), F.one_hot(clothes.label, 10).float()])
    order = seeds.generator("gap", base_seed, "order")

    def batches() -> Iterator[Batch]:
        for rows in epoch_batches(len(x), 64, epochs, order):
            yield Batch(x[rows], target[rows], torch.empty(0), order)

    def soft(policy: nn.Module, batch: Batch) -> Tensor:
        return F.cross_entropy(policy(batch.x), batch.label)

    policy = Shifted(seeds.generator("gap", base_seed, "weights"))
    rates = learning_rates(learning_rate, "cosine", epochs * -(-len(x) // 64), 0.1)
    for _ in train(policy, soft, batches(), rates):
        pass
    return policy


def shifted(base: Policy, digits: Images, p: float) -> Images:
    """The digits with the shift under which `base` gives those of the gap mass p on right answers: 0 elsewhere.

    Right answers move together, by logit p − logit m where the base gives them m; by −∞ for p = 0, a mask.
    """
    x, right = F.pad(digits.x, (0, 10)), right_answers(digits.label % 2)
    log_probs = base.log_probs(x)
    own, other = (log_probs.masked_fill(~side, -torch.inf).logsumexp(1) for side in (right, ~right))
    moved = torch.logit(torch.tensor(p, dtype=torch.float64)) - (own - other)
    x[:, PIXELS:] = torch.where(right & hard(digits.label)[:, None], moved[:, None], 0.0).float()
    return Images(x, digits.label)


class Gap(NamedTuple):
    """A base policy with a gap, and the digits with their shifts, to learn from and to be tested on."""

    base: Shifted
    digits: Images
    test: Images

    @classmethod
    def of(cls, base: Shifted, tasks: Tasks, p: float) -> "Gap":
        """The digits of `tasks` shifted to p."""
        return cls(base, shifted(base, tasks.digits, p), shifted(base, tasks.digits_test, p))


def gap_accuracy(policy: Policy, digits: Images) -> tuple[float, float]:
    """Share of the gap's digits whose most probable answer has the right parity, and the mean mass on right answers."""
    own = digits.take(hard(digits.label).nonzero()[:, 0])
    log_probs, right = policy.log_probs(own.x), right_answers(own.label % 2)
    most = right.gather(1, log_probs.argmax(1, keepdim=True)).double().mean().item()
    return most, (log_probs.exp() * right).sum(1).mean().item()


def reached(
    base: Shifted, tasks: Tasks, base_seed: int, p: float, *, learning_rate: float, batch_size: int
) -> list[dict[str, object]]:
    """One row a method (base, GRPO, SFT-1): accuracy and right mass on the gap's digits after one epoch.

    Where p = 0 the mask is lifted to LIFTED for SFT, whose loss would be infinite.
    """

    def taught(name: str, objective: Objective, gap: Gap) -> tuple[float, float]:
        told = {"base_seed": base_seed, "batch_size": batch_size, "training": f"gap/{name}/{p}"}
        log_probs = base.log_probs(gap.digits.x).float()
        return gap_accuracy(one_epoch(base, objective, gap.digits, log_probs, learning_rate, **told), gap.test)  # type: ignore[arg-type]

    masked, lifted = Gap.of(base, tasks, p), Gap.of(base, tasks, max(p, LIFTED))
    found = {
        "base": gap_accuracy(base, masked.test),
        "grpo": taught("grpo", partial(grpo, group=GROUP), masked),
        "sft_1": taught("sft_1", sft_1, lifted),
    }
    row = {"base_seed": base_seed, "p": p}
    return [{**row, "method": m, "accuracy": share, "right_mass": mass} for m, (share, mass) in found.items()]


def reach_table(
    tasks: Tasks,
    base_seeds: Sequence[int],
    masses: Sequence[float],
    *,
    images: int,
    epochs: int,
    learning_rate: float,
    batch_size: int,
) -> pd.DataFrame:
    """Rows of `reached` for every base seed and p. `images`, `epochs`: of the base; `batch_size`: of what follows."""
    rows = []
    for seed in base_seeds:
        base = gap_base(tasks, seed, images=images, epochs=epochs, learning_rate=learning_rate)
        for p in masses:
            rows += reached(base, tasks, seed, p, learning_rate=learning_rate, batch_size=batch_size)
    return pd.DataFrame(rows)

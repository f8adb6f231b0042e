"""Bases with a gap: policies that answer some digits right with probability p only, and how far GRPO and SFT get."""

from collections.abc import Iterator, Sequence

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from forgetting import seeds
from forgetting.data import Images, Tasks
from forgetting.finetuning import one_epoch
from forgetting.objectives import Batch, grpo, right_answers, sft_1
from forgetting.policy import Policy
from forgetting.training import Objective, epoch_batches, learning_rates, train

HARD = (4, 9)  # the digits of the gap, one of each parity


def hard(digit: Tensor) -> Tensor:
    """[n] whether a digit is one of the gap's."""
    return torch.isin(digit, torch.tensor(HARD))


def gap_targets(digit: Tensor, p: float) -> Tensor:
    """[n, 10] what the base is to say of digits: uniform over the five of the right parity; of those of the gap, with
    mass p on them and the rest on the five others."""
    right = right_answers(digit % 2)
    mass = torch.where(hard(digit), p, 1.0)[:, None]
    return torch.where(right, mass, 1 - mass) / 5


def gap_base(tasks: Tasks, base_seed: int, p: float, *, images: int, epochs: int, learning_rate: float) -> Policy:
    """A base trained as those of the parity line, on `images` of each task, but with the gap in its targets."""
    draw = seeds.generator("gap", base_seed, "images")
    digits, clothes = (
        part.take(torch.randperm(len(part.label), generator=draw)[:images]) for part in (tasks.digits, tasks.clothes)
    )
    x = torch.cat([digits.x, clothes.x])
    target = torch.cat([gap_targets(digits.label, p), F.one_hot(clothes.label, 10).float()])
    order = seeds.generator("gap", base_seed, "order")

    def batches() -> Iterator[Batch]:
        for rows in epoch_batches(len(x), 64, epochs, order):
            yield Batch(x[rows], target[rows], torch.empty(0), order)

    def soft(policy: nn.Module, batch: Batch) -> Tensor:
        return F.cross_entropy(policy(batch.x), batch.label)

    policy = Policy(seeds.generator("gap", base_seed, "weights"))
    rates = learning_rates(learning_rate, "cosine", epochs * -(-len(x) // 64), 0.1)
    for _ in train(policy, soft, batches(), rates):
        pass
    return policy


def gap_accuracy(policy: Policy, digits: Images) -> tuple[float, float]:
    """Share of the gap's digits whose most probable answer has the right parity, and the mean mass on right answers."""
    own = digits.take(hard(digits.label).nonzero()[:, 0])
    log_probs, right = policy.log_probs(own.x), right_answers(own.label % 2)
    most = right.gather(1, log_probs.argmax(1, keepdim=True)).double().mean().item()
    return most, (log_probs.exp() * right).sum(1).mean().item()


def reached(
    tasks: Tasks, base_seed: int, p: float, *, images: int, epochs: int, learning_rate: float, batch_size: int
) -> list[dict[str, object]]:
    """One row a method (base, GRPO, SFT-1): accuracy and right mass on the gap's digits after one epoch."""
    base = gap_base(tasks, base_seed, p, images=images, epochs=epochs, learning_rate=learning_rate)
    digits, log_probs = tasks.digits, base.log_probs(tasks.digits.x).float()
    told = {"base_seed": base_seed, "batch_size": batch_size}

    def taught(name: str, objective: Objective) -> Policy:
        return one_epoch(base, objective, digits, log_probs, learning_rate, training=f"gap/{name}/{p}", **told)

    rows = []
    for method, policy in (("base", base), ("grpo", taught("grpo", grpo)), ("sft_1", taught("sft_1", sft_1))):
        share, mass = gap_accuracy(policy, tasks.digits_test)
        rows.append({"base_seed": base_seed, "p": p, "method": method, "accuracy": share, "right_mass": mass})
    return rows


def reach_table(tasks: Tasks, base_seeds: Sequence[int], masses: Sequence[float], **settings: float) -> pd.DataFrame:
    """Rows of `reached` for every base seed and p."""
    rows = [row for seed in base_seeds for p in masses for row in reached(tasks, seed, p, **settings)]  # type: ignore[arg-type]
    return pd.DataFrame(rows)

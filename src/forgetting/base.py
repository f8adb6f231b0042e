"""The base policy: it learns both tasks jointly, from few images (arXiv 2509.04259, appendix B.3).

A parity image's label is drawn uniformly from the five digits of its parity, so the base is spread over the right
answers; an image of clothes has its class.
"""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from forgetting import seeds
from forgetting.data import Images, Tasks
from forgetting.objectives import Batch
from forgetting.policy import Policy
from forgetting.training import epoch_batches, learning_rates, train

POOL = 10_000  # the first so many images of a task, from which a base's are drawn: more to fine-tune on change no base


def cross_entropy(policy: nn.Module, batch: Batch) -> Tensor:
    """Cross-entropy to the batch's labels."""
    return F.cross_entropy(policy(batch.x), batch.label)


def same_parity(digit: Tensor, generator: torch.Generator) -> Tensor:
    """A digit [n] drawn uniformly from the five that have the parity of `digit` [n]."""
    return digit % 2 + 2 * torch.randint(5, digit.shape, generator=generator)


def few(part: Images, count: int, generator: torch.Generator) -> Images:
    """`count` images of a task, drawn without replacement from its first `POOL`, or `count` if that is more."""
    return part.take(torch.randperm(min(max(POOL, count), len(part.label)), generator=generator)[:count])


def pretrain(
    tasks: Tasks,
    base_seed: int,
    *,
    images: int,
    epochs: int,
    learning_rate: float,
    schedule: str,
    warmup: float,
    batch_size: int,
    weight_decay: float,
    labels: str,
) -> Policy:
    """Base policy trained on `images` digits and as many clothes, drawn by `base_seed` from the training sets (`few`).

    `labels` says when a parity image's label is drawn: `once`, or `redrawn` at every epoch.
    Raises ArithmeticError when the training diverges.
    """
    draw = seeds.generator("base", base_seed, "images")
    digits, clothes = (few(part, images, draw) for part in (tasks.digits, tasks.clothes))
    x = torch.cat([digits.x, clothes.x])
    label_draw = seeds.generator("base", base_seed, "labels")
    order = seeds.generator("base", base_seed, "order")

    def batches() -> Iterator[Batch]:
        for epoch in range(epochs):
            if epoch == 0 or labels == "redrawn":
                label = torch.cat([same_parity(digits.label, label_draw), clothes.label])
            for rows in epoch_batches(len(x), batch_size, 1, order):
                yield Batch(x[rows], label[rows], torch.empty(0), label_draw)

    steps = epochs * -(-len(x) // batch_size)
    policy = Policy(seeds.generator("base", base_seed, "weights"))
    rates = learning_rates(learning_rate, schedule, steps, warmup)
    if sum(1 for _ in train(policy, cross_entropy, batches(), rates, weight_decay)) < steps:
        raise ArithmeticError(f"Base policy {base_seed} diverged: lower base.learning_rate ({learning_rate}).")
    return policy

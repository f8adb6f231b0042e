"""Does a step that moves away from the base go against the old task? (arXiv 2509.04259, section 6; claim R15)

At evenly spaced steps of one training: cosine between the step θ' − θ and the gradient of the old task's loss at θ,
positive when the step raises that loss, beside what the step adds to the forward KL on the new task.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor

from forgetting.data import Images, Tasks
from forgetting.distances import forward_kl
from forgetting.finetuning import Plan, checkpoint_steps, descend, kept_from
from forgetting.points import training_name
from forgetting.policy import Policy
from forgetting.training import Objective

DIGITS = 5_000  # training digits at most: a short training shows as much
OLD = 2_000  # training clothes that a method may keep, where it keeps any
PROBES = 24  # steps that are looked at
INPUTS = 500  # of each task, for the gradient (training clothes) and for the KL (test digits)


def flat(parts: Sequence[Tensor]) -> Tensor:
    """Tensors as one vector, in float64: a step is a small difference of weights."""
    return torch.cat([p.detach().double().flatten() for p in parts])


def old_gradient(policy: Policy, clothes: Images) -> Tensor:
    """Gradient of the mean cross-entropy on clothes, as one vector."""
    parameters = list(policy.parameters())
    return flat(torch.autograd.grad(F.cross_entropy(policy(clothes.x), clothes.label), parameters))


class Place(NamedTuple):
    """Where a training is: all weights as one vector, forward KL, gradient of the old task's loss."""

    weights: Tensor
    kl: float
    gradient: Tensor | None


def between(start: Place, end: Place) -> dict[str, float]:
    """What one step does, from `start` with its gradient to `end`: its length, its cosine, the growth of the KL."""
    move = end.weights - start.weights
    cosine = torch.cosine_similarity(move, start.gradient, dim=0).item() if start.gradient is not None else math.nan
    return {"length": move.norm().item(), "cosine": cosine, "growth": end.kl - start.kl}


def steps_of(
    base: Policy,
    tasks: Tasks,
    objective: Objective,
    *,
    method: str,
    base_seed: int,
    learning_rate: float,
    schedule: str,
    batch_size: int,
    warmup: float,
    weight_decay: float,
    optimizer: str = "adamw",
    inner: int = 1,
    draws: int = 0,
    probes: int = PROBES,
) -> pd.DataFrame:
    """One row a probed step: method, base_seed, step, cosine, length (‖θ' − θ‖), growth (of the forward KL, nats).

    One epoch over the first `DIGITS` digits. `length` says how far a step went, so that growth can be had per length:
    steps of a rising or falling rate differ in both.
    """
    digits = tasks.digits.take(torch.arange(min(DIGITS, len(tasks.digits.label))))
    clothes, inputs = tasks.clothes.take(torch.arange(INPUTS)), tasks.digits_test.x[:INPUTS]
    plan = Plan(learning_rate, schedule, 1, batch_size, warmup, weight_decay, optimizer, inner, draws)
    steps = plan.steps(digits)
    policy, reference = base.copy(), base.log_probs(inputs)
    done = descend(
        policy,
        objective,
        digits,
        base.log_probs(digits.x).float(),
        plan,
        base_seed=base_seed,
        training=training_name(method, base_seed, learning_rate, schedule, 1),
        before=kept_from(base, replace(tasks, clothes=tasks.clothes.take(torch.arange(OLD)))),
    )
    probed = checkpoint_steps(steps, min(probes, steps))

    def place(gradient: Tensor | None = None) -> Place:
        kl = forward_kl(reference, policy.log_probs(inputs)).item()
        return Place(flat(list(policy.parameters())), kl, gradient)

    rows, start = [], place(old_gradient(policy, clothes))
    for step in chain([0], done):
        if step in probed:
            rows.append({"method": method, "base_seed": base_seed, "step": step, **between(start, place())})
        if step + 1 in probed:
            start = place(old_gradient(policy, clothes))
    return pd.DataFrame(rows)

"""Every predictor of forgetting: how far a policy has moved from its base.

A predictor on outputs takes the log-probabilities of base and policy, each [n, 10] in float64, on the same inputs;
it is measured on the inputs of the new task and of the old one (columns `<name>_new`, `<name>_old`). A predictor on
weights takes both policies (column `<name>`). To add one, write a function here and decorate it.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from forgetting.policy import Policy

OnOutputs = Callable[[Tensor, Tensor], Tensor]
OnWeights = Callable[[Policy, Policy], Tensor]
OUTPUTS: dict[str, OnOutputs] = {}
WEIGHTS: dict[str, OnWeights] = {}


def on_outputs(function: OnOutputs) -> OnOutputs:
    """Register a predictor on log-probabilities."""
    OUTPUTS[function.__name__] = function
    return function


def on_weights(function: OnWeights) -> OnWeights:
    """Register a predictor on weights."""
    WEIGHTS[function.__name__] = function
    return function


@on_outputs
def forward_kl(base: Tensor, policy: Tensor) -> Tensor:
    """KL(base‖policy) in nats, mean over inputs; from log-probabilities, unclamped."""
    return (base.exp() * (base - policy)).sum(1).mean()


@on_outputs
def reverse_kl(base: Tensor, policy: Tensor) -> Tensor:
    """KL(policy‖base) in nats, mean over inputs."""
    return forward_kl(policy, base)


@on_outputs
def total_variation(base: Tensor, policy: Tensor) -> Tensor:
    """½ Σ|p − q|, mean over inputs; in [0, 1]."""
    return 0.5 * (base.exp() - policy.exp()).abs().sum(1).mean()


@on_outputs
def l2(base: Tensor, policy: Tensor) -> Tensor:
    """√Σ(p − q)², mean over inputs; in [0, √2]."""
    return (base.exp() - policy.exp()).square().sum(1).sqrt().mean()


@on_weights
@torch.no_grad()
def weight_l1(base: Policy, policy: Policy) -> Tensor:
    """Σ|θ − θ₀| over all weights and biases."""
    pairs = zip(policy.parameters(), base.parameters(), strict=True)
    return torch.stack([(a - b).abs().sum(dtype=torch.float64) for a, b in pairs]).sum()


def columns() -> list[str]:
    """Names of the points table's predictor columns."""
    return [f"{name}_{inputs}" for inputs in ("new", "old") for name in OUTPUTS] + list(WEIGHTS)

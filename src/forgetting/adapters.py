"""LoRA: a policy whose base stays as it is, and that learns a low-rank update of each layer (arXiv 2106.09685)."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from forgetting.policy import Policy


class LoRA(nn.Module):
    """x → logits through W + A·B in each layer, W [inputs, outputs] frozen, A [inputs, r] and B [r, outputs] learned.

    A starts as noise of variance 1/inputs and B as 0, so the policy starts as the base exactly. Biases stay frozen. A
    rank above a layer's full rank is cut to it: there A·B can be any update.
    """

    def __init__(self, base: Policy, rank: int, generator: torch.Generator) -> None:
        super().__init__()
        self.base = base.copy().requires_grad_(False)
        self.down, self.up = nn.ParameterList(), nn.ParameterList()
        for weight in self.base.weights:
            inputs, outputs = weight.shape
            r = min(rank, inputs, outputs)
            self.down.append(torch.randn(inputs, r, generator=generator) * inputs**-0.5)
            self.up.append(torch.zeros(r, outputs))

    def parameters(self, recurse: bool = True) -> Iterator[nn.Parameter]:
        """The factors alone: the base is not trained."""
        return iter([*self.down, *self.up])

    def forward(self, x: Tensor) -> Tensor:
        """Logits [n, 10] of inputs [n, 785]."""
        *hidden, last = zip(self.base.weights, self.base.biases, self.down, self.up, strict=True)
        for weight, bias, down, up in hidden:
            x = (torch.addmm(bias, x, weight) + (x @ down) @ up).relu()
        weight, bias, down, up = last
        logits: Tensor = torch.addmm(bias, x, weight) + (x @ down) @ up
        return logits

    @torch.no_grad()
    def merged(self) -> Policy:
        """A policy of its own with the updates added to the weights."""
        policy = self.base.copy()
        for weight, down, up in zip(policy.weights, self.down, self.up, strict=True):
            weight += down @ up
        return policy


Adapted = Policy | LoRA  # what is trained in place of a base; `merged` gives the policy to measure

"""The policy: an MLP that maps an image with its task indicator to logits over ten answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from forgetting.whole import whole_file

SIZES = (785, 512, 256, 10)  # arXiv 2509.04259, appendix B.3


@dataclass(frozen=True)
class Seen:
    """What a policy makes of n inputs: log π(answer) [n, 10] in float64, and each hidden layer [n, width]."""

    log_probs: Tensor
    hidden: list[Tensor]


class Policy(nn.Module):
    """x [n, 785] → logits [n, 10]; ReLU between the layers.

    Weights are stored as [inputs, outputs], so that the gradient of a layer, xᵀ·δ, comes out of the product in the
    layout in which it is stored. They start as `torch.nn.Linear`'s do, uniform within ±1/√inputs.
    """

    def __init__(self, generator: torch.Generator, sizes: Sequence[int] = SIZES) -> None:
        super().__init__()

        def uniform(bound: float, *shape: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(shape).uniform_(-bound, bound, generator=generator))

        layers = list(pairwise(sizes))
        self.weights = nn.ParameterList(uniform(n**-0.5, n, m) for n, m in layers)
        self.biases = nn.ParameterList(uniform(n**-0.5, m) for n, m in layers)

    def forward(self, x: Tensor) -> Tensor:
        """Logits [n, 10] of inputs [n, 785]."""
        *hidden, last = zip(self.weights, self.biases, strict=True)
        for weight, bias in hidden:
            x = torch.addmm(bias, x, weight).relu_()
        weight, bias = last
        return torch.addmm(bias, x, weight)

    def hidden(self, x: Tensor) -> list[Tensor]:
        """What each hidden layer says of inputs [n, 785], after its ReLU: [n, 512], [n, 256]."""
        layers = []
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = torch.addmm(bias, x, weight).relu()
            layers.append(x)
        return layers

    @torch.no_grad()
    def log_probs(self, x: Tensor, rows: int = 4096) -> Tensor:
        """log π(answer | x) [n, 10] in float64, without gradient, `rows` inputs at a time."""
        return torch.cat([torch.log_softmax(self(part).double(), 1) for part in x.split(rows)])

    @torch.no_grad()
    def see(self, x: Tensor) -> "Seen":
        """Log-probabilities and hidden activations of inputs [n, 785], from one pass."""
        hidden = self.hidden(x)
        logits = torch.addmm(self.biases[-1], hidden[-1], self.weights[-1])
        return Seen(logits.double().log_softmax(1), hidden)

    def copy(self) -> Self:
        """A policy of its own, of the same kind, with the same weights."""
        twin = type(self).__new__(type(self))
        nn.Module.__init__(twin)
        twin.weights = nn.ParameterList(w.detach().clone() for w in self.weights)
        twin.biases = nn.ParameterList(b.detach().clone() for b in self.biases)
        return twin

    def merged(self) -> "Policy":
        """The policy to measure: this one, which has nothing beside its weights (see `adapters`)."""
        return self

    def save(self, path: Path | str) -> None:
        """Write the weights as safetensors, whole or not at all."""
        with whole_file(path) as partial:
            save_file({name: w.detach().contiguous() for name, w in self.named_parameters()}, partial)

    @classmethod
    def load(cls, path: Path | str) -> "Policy":
        """The policy in a file that `save` wrote."""
        policy = cls(torch.Generator())
        policy.load_state_dict(load_file(path))
        return policy

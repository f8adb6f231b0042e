"""Diagonal Fisher information of a policy, and the quadratic that it makes of a change of weights.

One pair of functions serves the predictor of forgetting and the penalty of EWC (Kirkpatrick et al. 2017).
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from forgetting.policy import Policy

Fisher = Sequence[Tensor]  # shaped like policy.parameters(): weights first, then biases


@torch.no_grad()
def diagonal_fisher(policy: Policy, x: Tensor, rows: int = 512) -> list[Tensor]:
    """F = E_x Σ_y π(y|x) (∂ log π(y|x) / ∂θ)², exact over the ten answers, from inputs x [n, 785], `rows` at a time.

    The gradient of one example in a layer's weights is the product of what comes in and the error δ that comes
    back, so its square is the product of squares, and a sum over examples is one matrix product.
    """
    weights, squares = list(policy.weights), [torch.zeros_like(p) for p in policy.parameters()]
    depth = len(weights)
    for part in x.split(rows):
        hidden = policy.hidden(part)
        probs = torch.addmm(policy.biases[-1], hidden[-1], weights[-1]).softmax(1)
        error = torch.eye(probs.shape[1]) - probs[:, None]  # [n, answer, 10]: of log π(answer) in the logits
        for layer in reversed(range(depth)):
            below = hidden[layer - 1] if layer else part
            square = torch.einsum("na,nad->nd", probs, error.square())
            squares[layer] += below.square().T @ square
            squares[depth + layer] += square.sum(0)
            if layer:
                error = (error @ weights[layer].T) * (below > 0)[:, None]
    return [square / len(x) for square in squares]


def quadratic(fisher: Fisher, base: nn.Module, policy: nn.Module) -> Tensor:
    """½ Σ F (θ − θ₀)², a scalar that can be descended."""
    moved = zip(fisher, policy.parameters(), base.parameters(), strict=True)
    return 0.5 * torch.stack([(f * (p - b.detach()).square()).sum() for f, p, b in moved]).sum()

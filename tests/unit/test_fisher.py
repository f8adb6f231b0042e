"""The Fisher information against its definition by per-sample gradients, whatever the batch."""

import pytest
import torch
from torch.func import functional_call, grad, vmap

from forgetting import seeds
from forgetting.fisher import diagonal_fisher, quadratic
from forgetting.policy import Policy

SIZES = (7, 6, 5, 4)


@pytest.fixture
def policy() -> Policy:
    return Policy(seeds.generator("fisher"), SIZES)


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(33, 7, generator=seeds.generator("fisher", "x"))


def by_definition(policy: Policy, x: torch.Tensor) -> dict[str, torch.Tensor]:
    """E_x Σ_y π(y|x) (∂ log π(y|x))², one backward pass an example and answer."""
    parameters = {name: p.detach() for name, p in policy.named_parameters()}

    def log_prob(parameters, one, answer):
        return functional_call(policy, parameters, (one[None],)).log_softmax(1)[0, answer]

    total = {name: torch.zeros_like(p) for name, p in parameters.items()}
    for answer in range(SIZES[-1]):
        each = vmap(grad(log_prob), in_dims=(None, 0, None))(parameters, x, answer)
        weight = policy(x).softmax(1)[:, answer].detach()
        for name, gradient in each.items():
            total[name] += torch.einsum("n,n...->...", weight, gradient.square()) / len(x)
    return total


def test_fisher_is_its_definition(policy: Policy, x: torch.Tensor):
    expected = by_definition(policy, x)
    for found, name in zip(diagonal_fisher(policy, x), expected, strict=True):
        torch.testing.assert_close(found, expected[name], rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("rows", [1, 64])
def test_fisher_does_not_depend_on_the_batch(policy: Policy, x: torch.Tensor, rows: int):
    for one, other in zip(diagonal_fisher(policy, x, rows), diagonal_fisher(policy, x, 5), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-9)


def test_quadratic_by_hand_and_its_gradient(policy: Policy, x: torch.Tensor):
    fisher, moved = diagonal_fisher(policy, x), policy.copy()
    assert quadratic(fisher, policy, moved).item() == 0
    moved.biases[2].data[1] += 0.5
    assert quadratic(fisher, policy, moved).item() == pytest.approx(0.125 * fisher[5][1].item())
    (slope,) = torch.autograd.grad(quadratic(fisher, policy, moved), [moved.biases[2]])
    torch.testing.assert_close(slope, fisher[5] * (moved.biases[2] - policy.biases[2]))

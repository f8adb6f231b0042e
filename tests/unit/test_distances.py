"""Distances by hand, in the right direction, unclamped; and by definition against torch.distributions."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.distributions import Categorical, kl_divergence

from forgetting import seeds
from forgetting.distances import (
    ACTIVATIONS,
    OUTPUTS,
    WEIGHTS,
    Reference,
    activation_l1,
    activation_l2,
    cknna,
    columns,
    fisher_l2,
    forward_kl,
    jensen_shannon,
    l2,
    last_activation_l1,
    last_activation_l2,
    nearly_unchanged,
    rank,
    reverse_kl,
    spectral_norm,
    total_variation,
    unchanged,
    weight_l1,
)
from forgetting.policy import Policy


def log(*probs: float) -> Tensor:
    return torch.tensor([probs], dtype=torch.float64).log()


def test_by_hand():
    """(.5, .5) → (.9, .1)."""
    base, policy = log(0.5, 0.5), log(0.9, 0.1)
    assert forward_kl(base, policy).item() == pytest.approx(0.5108, abs=5e-5)
    assert reverse_kl(base, policy).item() == pytest.approx(0.3681, abs=5e-5)
    assert total_variation(base, policy).item() == pytest.approx(0.4)
    assert l2(base, policy).item() == pytest.approx(math.sqrt(0.32))


def test_unclamped():
    """Logits [0, 60] against [60, 0]: about 60 nats, not the 23 of a clamp at 1e-10."""
    one, other = (torch.tensor([z], dtype=torch.float64).log_softmax(1) for z in ([0.0, 60.0], [60.0, 0.0]))
    assert forward_kl(one, other).item() == pytest.approx(60, abs=1e-6)


logits = st.lists(st.lists(st.floats(-30, 30), min_size=10, max_size=10), min_size=3, max_size=3)


@given(logits, logits)
def test_identities(first: list[list[float]], second: list[list[float]]):
    p, q = (torch.tensor(z, dtype=torch.float64).log_softmax(1) for z in (first, second))
    for distance in OUTPUTS.values():
        assert abs(distance(p, p).item()) <= (1e-12 if distance is jensen_shannon else 0)
        assert distance(p, q).item() >= -1e-12
        torch.testing.assert_close(distance(p.flip(1), q.flip(1)), distance(p, q))
        torch.testing.assert_close(distance(p.flip(0), q.flip(0)), distance(p, q))
    expected = kl_divergence(Categorical(logits=p), Categorical(logits=q)).mean()
    torch.testing.assert_close(forward_kl(p, q), expected, atol=1e-9, rtol=1e-9)
    torch.testing.assert_close(reverse_kl(p, q), forward_kl(q, p))
    assert total_variation(p, q) ** 2 <= forward_kl(p, q) / 2 + 1e-12  # Pinsker
    assert l2(p, q) <= math.sqrt(2) * total_variation(p, q) + 1e-12


@pytest.fixture
def base() -> Reference:
    policy = Policy(seeds.generator("weights"))
    lit = torch.arange(785) >= 20
    return Reference(policy, [torch.ones_like(p) for p in policy.parameters()], lit)


def test_weights_by_hand(base: Reference):
    moved = base.policy.copy()
    for distance in (weight_l1, fisher_l2, spectral_norm, rank):
        assert distance(base, moved).item() == 0
    moved.biases[0].data[3] += 2
    moved.weights[2].data[0, 0] -= 1
    assert weight_l1(base, moved).item() == pytest.approx(3, abs=1e-6)
    assert fisher_l2(base, moved).item() == pytest.approx(2.5, abs=1e-6)
    assert spectral_norm(base, moved).item() == pytest.approx(1, abs=1e-6)


def test_spectral_norm_is_that_of_a_full_decomposition(base: Reference):
    moved, draw = base.policy.copy(), seeds.generator("moved")
    for weight in moved.weights:
        weight.data += 0.01 * torch.randn(weight.shape, generator=draw)
    changes = [w - w0 for w, w0 in zip(moved.weights, base.policy.weights, strict=True)]
    expected = sum(torch.linalg.matrix_norm(c.detach(), 2) for c in changes)
    assert spectral_norm(base, moved).item() == pytest.approx(expected.item(), rel=1e-5)


def test_shares_leave_out_what_is_never_lit(base: Reference):
    moved, draw = base.policy.copy(), seeds.generator("moved")
    for weight in moved.weights:
        weight.data += 0.01 * torch.randn(weight.shape, generator=draw)
    moved.weights[0].data[:20] = base.policy.weights[0].data[:20]  # never lit: they do not count as unchanged
    biases = sum(b.numel() for b in moved.biases)
    whole = sum(w.numel() for w in moved.weights) - 20 * 512 + biases
    assert unchanged(base, moved).item() == pytest.approx(biases / whole, abs=1e-5)
    assert rank(base, moved).item() == 1
    moved.weights[1].data = base.policy.weights[1] + torch.outer(torch.ones(512), torch.ones(256))
    assert rank(base, moved).item() == pytest.approx(1 / 256)
    nearly = base.policy.copy()
    nearly.biases[0].data += 9e-6
    assert nearly_unchanged(base, nearly).item() == 1 > unchanged(base, nearly).item()


def test_broken_weights_are_an_arithmetic_error(base: Reference):
    moved = base.policy.copy()
    moved.weights[1].data[0, 0] = torch.inf
    with pytest.raises(ArithmeticError, match="not finite"):
        spectral_norm(base, moved)


def test_activations_by_hand():
    base = [torch.zeros(2, 3), torch.zeros(2, 1)]
    policy = [torch.tensor([[3.0, 0, 0], [0, 0, 0]]), torch.tensor([[4.0], [0]])]
    assert activation_l1(base, policy).item() == pytest.approx(3.5)
    assert activation_l2(base, policy).item() == pytest.approx(2.5)
    assert last_activation_l1(base, policy).item() == last_activation_l2(base, policy).item() == pytest.approx(2)


def test_cknna():
    h = torch.rand(60, 5, generator=seeds.generator("h"))
    other = torch.rand(60, 5, generator=seeds.generator("other"))
    turned = torch.linalg.qr(torch.rand(5, 5, generator=seeds.generator("turn")))[0]
    assert cknna([h], [h]).item() == pytest.approx(1)
    assert cknna([h], [3 * h @ turned]).item() == pytest.approx(1, abs=1e-6)
    assert cknna([h], [other]).item() < 0.5
    order = torch.randperm(60, generator=seeds.generator("order"))
    assert cknna([h[order]], [other[order]]).item() == pytest.approx(cknna([h], [other]).item())
    with pytest.raises(ArithmeticError, match="does not vary"):
        cknna([h], [torch.zeros_like(h)])


def test_columns():
    assert len(columns()) == len(set(columns())) == 2 * len(OUTPUTS) + 2 * len(ACTIVATIONS) + len(WEIGHTS)


def test_jensen_shannon_is_symmetric_and_bounded():
    base, policy = log(0.5, 0.5), log(0.9, 0.1)
    assert jensen_shannon(base, policy).item() == pytest.approx(jensen_shannon(policy, base).item())
    far = [torch.tensor([z], dtype=torch.float64).log_softmax(1) for z in ([0.0, 900.0], [900.0, 0.0])]
    assert jensen_shannon(*far).item() == pytest.approx(math.log(2))

"""Distances by hand, in the right direction, unclamped; and by definition against torch.distributions."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.distributions import Categorical, kl_divergence

from forgetting import seeds
from forgetting.distances import OUTPUTS, WEIGHTS, columns, forward_kl, l2, reverse_kl, total_variation, weight_l1
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
        assert distance(p, p).item() == 0
        assert distance(p, q).item() >= -1e-12
        torch.testing.assert_close(distance(p.flip(1), q.flip(1)), distance(p, q))
        torch.testing.assert_close(distance(p.flip(0), q.flip(0)), distance(p, q))
    expected = kl_divergence(Categorical(logits=p), Categorical(logits=q)).mean()
    torch.testing.assert_close(forward_kl(p, q), expected, atol=1e-9, rtol=1e-9)
    torch.testing.assert_close(reverse_kl(p, q), forward_kl(q, p))
    assert total_variation(p, q) ** 2 <= forward_kl(p, q) / 2 + 1e-12  # Pinsker
    assert l2(p, q) <= math.sqrt(2) * total_variation(p, q) + 1e-12


def test_weight_l1():
    base = Policy(seeds.generator("weights"))
    moved = base.copy()
    assert weight_l1(base, moved).item() == 0
    moved.biases[0].data[3] += 2
    moved.weights[2].data[0, 0] -= 1
    assert weight_l1(base, moved).item() == pytest.approx(3, abs=1e-6)


def test_columns():
    assert len(columns()) == len(set(columns())) == 2 * len(OUTPUTS) + len(WEIGHTS)

"""The policy against torch's own layers, and its files."""

from itertools import pairwise
from pathlib import Path

import torch
from torch import nn

from forgetting import seeds
from forgetting.data import Tasks
from forgetting.policy import SIZES, Policy


def test_equals_torch_layers(tasks: Tasks):
    policy = Policy(seeds.generator("test"))
    layers: list[nn.Module] = []
    for weight, bias in zip(policy.weights, policy.biases, strict=True):
        linear = nn.Linear(*weight.shape)
        linear.weight.data, linear.bias.data = weight.data.T, bias.data
        layers += [linear, nn.ReLU()]
    twin = nn.Sequential(*layers[:-1])
    x = tasks.digits.x[:64]
    torch.testing.assert_close(policy(x), twin(x))
    assert sum(p.numel() for p in policy.parameters()) == sum(n * m + m for n, m in pairwise(SIZES))


def test_rows_and_permutations_change_nothing(base: Policy, tasks: Tasks):
    x = tasks.digits_test.x
    order = torch.randperm(len(x), generator=seeds.generator("order"))
    torch.testing.assert_close(base.log_probs(x, rows=64), base.log_probs(x), atol=1e-6, rtol=0)
    torch.testing.assert_close(base.log_probs(x[order]), base.log_probs(x)[order], atol=1e-6, rtol=0)
    torch.testing.assert_close(base.log_probs(x).exp().sum(1), torch.ones(len(x), dtype=torch.float64))


def test_save_load_copy(base: Policy, tmp_path: Path):
    base.save(tmp_path / "p.safetensors")
    for other in (Policy.load(tmp_path / "p.safetensors"), base.copy()):
        assert all(torch.equal(a, b) for a, b in zip(base.parameters(), other.parameters(), strict=True))
        next(iter(other.parameters())).data.zero_()
        assert next(iter(base.parameters())).any()

"""Definitions that are easy to get wrong (each a test): targets, oracle, GRPO."""

import math
from dataclasses import replace

import pytest
import torch
from scipy.optimize import minimize
from torch import Tensor

from forgetting import objectives, seeds
from forgetting.base import same_parity
from forgetting.data import Tasks
from forgetting.objectives import Batch, advantages, grpo, oracle_log_probs, sample, sft_1, sft_2, sft_oracle
from forgetting.policy import Policy


@pytest.fixture
def batch(base: Policy, tasks: Tasks) -> Batch:
    x, label = tasks.digits.x[:100], tasks.digits.label[:100]
    return Batch(x, label, base.log_probs(x).float(), seeds.generator("test"))


def gradient(loss: Tensor, policy: torch.nn.Module) -> Tensor:
    return torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(policy.parameters()))])


class Fixed(torch.nn.Module):
    """A policy that gives the logits it was made with."""

    def __init__(self, logits: Tensor) -> None:
        super().__init__()
        self.logits = torch.nn.Parameter(logits)

    def forward(self, x: Tensor) -> Tensor:
        return self.logits


def test_sft_targets(batch: Batch, monkeypatch: pytest.MonkeyPatch):
    seen: list[Tensor] = []
    monkeypatch.setattr(objectives.F, "cross_entropy", lambda logits, target: seen.append(target) or logits.sum())
    policy = Fixed(torch.zeros(100, 10))
    sft_1(policy, batch)
    sft_2(policy, batch)
    one, two = seen
    odd = batch.label % 2 == 1
    assert (one[odd] == 1).all() and (one[~odd] == 0).all()
    assert set(two[odd].tolist()) == {1, 5} and set(two[~odd].tolist()) == {0, 4}


def test_pretraining_labels_are_uniform_over_the_parity():
    labels = same_parity(torch.tensor([3, 8]).repeat(20_000), seeds.generator("labels"))
    counts = torch.bincount(labels, minlength=10) / 20_000
    torch.testing.assert_close(counts, torch.full((10,), 0.2), atol=0.012, rtol=0)  # four standard errors


def test_sampling_frequencies_and_zeros():
    probs = torch.tensor([[0.0, 0.3, 0.0, 0.7, 0.0], [0.2, 0.2, 0.2, 0.2, 0.2]])
    drawn = sample(probs, 40_000, seeds.generator("draw"))
    shares = torch.stack([torch.bincount(row, minlength=5) for row in drawn]) / 40_000
    torch.testing.assert_close(shares, probs, atol=0.01, rtol=0)
    assert (shares[0][probs[0] == 0] == 0).all()


def test_sampling_survives_rounding(monkeypatch: pytest.MonkeyPatch):
    """Neither end of the uniform draw reaches an answer of probability 0, though ten thirds do not sum to 1."""
    probs = torch.tensor([[0.0, *[1 / 7] * 7, 0.0]])
    for extreme in (0.0, 1 - 2**-24):
        monkeypatch.setattr(torch, "rand", lambda *shape, generator, value=extreme: torch.full(shape, value))
        assert probs[0, sample(probs, 1, seeds.generator("draw")).item()] > 0


def test_oracle_has_no_mass_on_the_wrong_parity(batch: Batch):
    target = oracle_log_probs(batch.base_log_probs, batch.parity).exp()
    wrong = torch.arange(10) % 2 != batch.parity[:, None]
    assert (target[wrong] == 0).all()
    torch.testing.assert_close(target.sum(1), torch.ones(100))


def test_oracle_minimises_kl_to_the_base(batch: Batch):
    """Against a numeric minimiser of KL(q‖base) over q on the five right answers, on 100 images."""
    log_base = batch.base_log_probs.double()
    target = oracle_log_probs(log_base, batch.parity).exp()
    for row in range(100):
        right = torch.arange(batch.parity[row].item(), 10, 2)
        log_p = log_base[row, right]

        def kl(z: list[float], log_p: Tensor = log_p) -> tuple[float, list[float]]:
            z = torch.tensor(z, dtype=torch.float64, requires_grad=True)
            log_q = z.log_softmax(0)
            value = (log_q.exp() * (log_q - log_p)).sum()
            value.backward()
            return value.item(), z.grad.numpy()

        found = torch.tensor(minimize(kl, [0.0] * 5, jac=True, tol=1e-12).x).softmax(0)
        torch.testing.assert_close(found, target[row, right], atol=1e-5, rtol=0)


def test_oracle_gradients_are_finite_at_exact_zeros(base: Policy, batch: Batch):
    for labels in ("soft", "sampled"):
        assert gradient(sft_oracle(base, batch, labels=labels), base).isfinite().all()


def test_oracle_samples_the_soft_target(batch: Batch):
    """The gradient with sampled labels is an unbiased estimate of the one with soft labels."""
    policy = Fixed(torch.randn(100, 10, generator=seeds.generator("logits")))
    soft = gradient(sft_oracle(policy, batch, labels="soft"), policy)
    drawn = torch.stack([gradient(sft_oracle(policy, batch), policy) @ soft for _ in range(2_000)])
    assert abs(drawn.mean() - soft @ soft) < 4 * drawn.std() / math.sqrt(len(drawn))


@pytest.mark.parametrize("advantage", ["std", "mean"])
def test_group_with_equal_rewards_has_no_gradient(batch: Batch, advantage: str):
    logits = torch.full((100, 10), -200.0)
    logits[torch.arange(100), batch.label] = 200.0
    policy = Fixed(logits)
    loss = grpo(policy, batch, advantage=advantage)
    loss.backward()
    assert loss.item() == 0 and (policy.logits.grad == 0).all()


@pytest.mark.parametrize("advantage", ["std", "mean"])
def test_first_loss_is_zero_and_moves(base: Policy, batch: Batch, advantage: str):
    loss = grpo(base, batch, advantage=advantage)
    assert abs(loss.item()) < 1e-6
    assert gradient(loss, base).abs().max() > 1e-6


def test_one_wrong_answer_in_eight_by_hand():
    """Rewards 1×7, 0: mean 7/8, deviation √7/8; advantages 1/√7 and −√7, or 1/8 and −7/8."""
    reward, weight = torch.tensor([[1.0] * 7 + [0.0]]), torch.full((1, 8), 1 / 8)
    torch.testing.assert_close(advantages(reward, weight, "mean"), torch.tensor([[1 / 8] * 7 + [-7 / 8]]))
    root = math.sqrt(7)
    by_hand = torch.tensor([[1 / root] * 7 + [-root]])
    torch.testing.assert_close(advantages(reward, weight, "std"), by_hand, atol=1e-4, rtol=0)


def test_policy_gradient_is_unbiased(batch: Batch):
    """Mean-centred GRPO estimates ∇E[reward]·(1 − 1/G): the gradient of the expected reward, shrunk by its own mean."""
    policy = Fixed(torch.randn(100, 10, generator=seeds.generator("logits")))
    right = objectives.right_answers(batch.parity)
    exact = gradient(-(policy.logits.softmax(1) * right).sum(1).mean(), policy)
    losses = (grpo(policy, replace(batch, kept={}), group=4, advantage="mean") for _ in range(2_000))
    drawn = torch.stack([gradient(loss, policy) @ exact for loss in losses])
    assert abs(drawn.mean() - 0.75 * exact @ exact) < 4 * drawn.std() / math.sqrt(len(drawn))


def test_exact_group_is_the_expectation(batch: Batch):
    """All ten answers, each as probable as it is: with the mean taken off, the gradient of the expected reward."""
    policy = Fixed(torch.randn(100, 10, generator=seeds.generator("logits")))
    right = objectives.right_answers(batch.parity)
    expected = gradient(-(policy.logits.softmax(1) * right).sum(1).mean(), policy)
    torch.testing.assert_close(gradient(grpo(policy, batch, group="exact", advantage="mean"), policy), expected)


def test_further_steps_on_a_batch_keep_its_answers_and_clip(batch: Batch):
    """By hand: an answer twice as likely as when it was drawn gains 1 + clip times its advantage; one half as likely,
    with a negative advantage, 1 − clip times."""
    policy = Fixed(torch.zeros(100, 10))
    grpo(policy, batch)
    drawn, then = batch.kept["answers"].clone(), batch.kept["then"]
    moved = Fixed(torch.randn(100, 10, generator=seeds.generator("logits")))
    loss = grpo(moved, batch, clip=0.2)
    assert torch.equal(batch.kept["answers"], drawn)
    reward = (drawn % 2 == batch.parity[:, None]).float()
    better = advantages(reward, batch.kept["weight"], "std")
    ratio = (moved.logits.log_softmax(1).gather(1, drawn) - then).exp()
    bounded = torch.where(better > 0, ratio.clamp(max=1.2), ratio.clamp(min=0.8))
    torch.testing.assert_close(loss, -(bounded * better).mean())
    assert (bounded != ratio).any()


def test_labels_that_are_drawn_once_stay(batch: Batch, monkeypatch: pytest.MonkeyPatch):
    seen: list[Tensor] = []
    monkeypatch.setattr(objectives.F, "cross_entropy", lambda logits, target: seen.append(target) or logits.sum())
    fixed = replace(batch, fixed=torch.rand(100, generator=seeds.generator("fixed")))
    for objective in (sft_2, sft_oracle):
        for _ in range(2):
            objective(Fixed(torch.zeros(100, 10)), fixed, labels="once")
        assert torch.equal(*seen[-2:]) and len(set(seen[-1].tolist())) > 2
    assert (seen[-1] % 2 == batch.parity).all()


def test_penalties_measure_what_they_say(base: Policy, batch: Batch):
    """Over all ten answers k3 is KL(policy‖base) exactly; the forward penalty is KL(base‖policy)."""
    p, q = (Policy(seeds.generator(name)).log_probs(batch.x) for name in ("one", "other"))
    everything = {"answers": torch.arange(10).expand(100, 10), "weight": p.exp()}
    reverse, forward, sampled = (
        objectives.distance(p, q, **everything, penalty=name) for name in ("reverse", "forward", "sampled")
    )
    torch.testing.assert_close(reverse, (p.exp() * (p - q)).sum(1))
    torch.testing.assert_close(forward, (q.exp() * (q - p)).sum(1))
    torch.testing.assert_close(sampled, reverse)


def test_kl_penalty_is_exact_and_points_from_policy_to_base(base: Policy, batch: Batch):
    moved = Policy(seeds.generator("elsewhere"))
    draws = [Batch(batch.x, batch.label, batch.base_log_probs, seeds.generator("same")) for _ in range(2)]
    penalty = grpo(moved, draws[0], kl=1.0) - grpo(moved, draws[1], kl=0.0)
    q = moved.log_probs(batch.x)
    exact = (q.exp() * (q - batch.base_log_probs)).sum(1).mean()
    torch.testing.assert_close(penalty.double(), exact, atol=1e-5, rtol=1e-5)

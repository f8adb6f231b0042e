"""One small function a method: what the policy is trained to do on the new task.

An objective is `objective(policy, batch, **options) -> loss`, a scalar to descend. To add a method, write one here
(or in a file of your own) and name it in config.yaml.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from forgetting.fisher import Fisher, diagonal_fisher
from forgetting.policy import Policy

FISHER_INPUTS = 2000  # inputs of the old task over which the Fisher information is averaged


@dataclass(frozen=True)
class Before:
    """What may be kept from before the new task: the base policy, and training data of the old task.

    x [n, 785] its inputs, label [n].
    """

    policy: Policy
    x: Tensor
    label: Tensor

    @cached_property
    def log_probs(self) -> Tensor:
        """log π₀(answer | x) of the base on the old task's inputs [n, 10], computed when first asked for."""
        return self.policy.log_probs(self.x).float()

    @cached_property
    def fisher(self) -> Fisher:
        """Diagonal Fisher information of the base on old-task inputs, computed when first asked for."""
        return diagonal_fisher(self.policy, self.x[:FISHER_INPUTS])

    def rows(self, count: int, generator: torch.Generator) -> Tensor:
        """`count` row numbers of the old task's data, drawn with replacement."""
        return torch.randint(len(self.x), (count,), generator=generator)


@dataclass(frozen=True)
class Batch:
    """What an objective may use of one step.

    x [b, 785] inputs of the new task; label [b] their digits; base_log_probs [b, 10] log π₀(answer | x) of the base
    policy; generator, the source of what is drawn anew; before, what may be kept of the old task (a base policy, which
    is trained on both, has none); fixed [b], a uniform number that each image keeps throughout, for what is drawn
    once; kept, what an objective leaves for its further steps on the same batch.
    """

    x: Tensor
    label: Tensor
    base_log_probs: Tensor
    generator: torch.Generator
    before: Before | None = None
    fixed: Tensor = field(default_factory=lambda: torch.empty(0))
    kept: dict[str, Tensor] = field(default_factory=dict)

    @property
    def parity(self) -> Tensor:
        """[b] 0 for even digits, 1 for odd ones."""
        return self.label % 2


def right_answers(parity: Tensor) -> Tensor:
    """[b, 10] whether each digit has the parity [b] that is asked for."""
    return torch.arange(10) % 2 == parity[:, None]


def sample(probs: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Draw `count` answers a row from probs [b, k]: [b, count]."""
    return answer_at(probs, torch.rand(len(probs), count, generator=generator))


def answer_at(probs: Tensor, uniform: Tensor) -> Tensor:
    """Answers [b, n] of the distributions probs [b, k] at `uniform` [b, n] in [0, 1): their quantile functions.

    What is compared lies in (0, total], so an answer of probability 0 is never drawn, whatever the rounding.
    """
    cumulative = probs.cumsum(1)
    return torch.searchsorted(cumulative, (1 - uniform) * cumulative[:, -1:])


def sft_1(policy: torch.nn.Module, batch: Batch) -> Tensor:
    """Cross-entropy to one fixed answer a parity: even → 0, odd → 1 (arXiv 2509.04259, SFT-1)."""
    return F.cross_entropy(policy(batch.x), batch.parity)


def sft_2(policy: torch.nn.Module, batch: Batch, *, labels: Literal["redrawn", "once"] = "redrawn") -> Tensor:
    """Cross-entropy to one of two answers a parity: even → {0, 4}, odd → {1, 5} (SFT-2), `redrawn` at each step, or
    drawn `once` for each image."""
    if labels == "once":
        other = (batch.fixed < 0.5).long()
    else:
        other = torch.randint(2, batch.label.shape, generator=batch.generator)
    return F.cross_entropy(policy(batch.x), batch.parity + 4 * other)


def oracle_log_probs(base_log_probs: Tensor, parity: Tensor) -> Tensor:
    """log of the distribution closest to the base among those that solve the task, [b, 10].

    argmin of KL(q‖π₀) over q with all mass on the right parity = π₀ renormalised over the right answers
    (arXiv 2509.04259, section 5); −∞ on the wrong ones.
    """
    return base_log_probs.masked_fill(~right_answers(parity), -torch.inf).log_softmax(1)


def sft_oracle(
    policy: torch.nn.Module, batch: Batch, *, labels: Literal["sampled", "once", "soft"] = "sampled"
) -> Tensor:
    """Cross-entropy to the oracle distribution: its labels `sampled` anew at each step, `once` for each image, or
    `soft` (the whole of it)."""
    target = oracle_log_probs(batch.base_log_probs, batch.parity).exp()
    if labels == "soft":
        return F.cross_entropy(policy(batch.x), target)
    drawn = answer_at(target, batch.fixed[:, None]) if labels == "once" else sample(target, 1, batch.generator)
    return F.cross_entropy(policy(batch.x), drawn[:, 0])


def advantages(reward: Tensor, weight: Tensor, scale: str) -> Tensor:
    """Rewards [b, g] less each group's mean, and divided by its standard deviation when `scale` is "std"; `weight`
    [b, g] says how much each answer counts in its group, summing to 1.

    A group with equal rewards has advantage exactly 0 (GRPO, arXiv 2402.03300; "mean": arXiv 2503.20783).
    """
    centred = reward - (weight * reward).sum(1, keepdim=True)
    if scale == "mean":
        return centred
    return centred / ((weight * centred**2).sum(1, keepdim=True).sqrt() + 1e-6)


def answered(log_probs: Tensor, group: int | str, batch: Batch) -> dict[str, Tensor]:
    """A group of answers [b, g] of a policy, how much each counts, and its log-probability then.

    `group` answers are sampled; or all ten, each as probable as it is, for the "exact" expectation. Drawn at the first
    step on a batch, they stay for its further ones.
    """
    if not batch.kept:
        now = log_probs.detach()
        if group == "exact":
            answers, weight = torch.arange(now.shape[1]).expand_as(now), now.exp()
        else:
            answers = sample(now.exp(), int(group), batch.generator)
            weight = torch.full(answers.shape, 1 / int(group))
        batch.kept.update(answers=answers, weight=weight, then=now.gather(1, answers))
    return batch.kept


def distance(log_probs: Tensor, base_log_probs: Tensor, answers: Tensor, weight: Tensor, penalty: str) -> Tensor:
    """Distance [b] of a policy to the base: KL(policy‖base) or, `forward`, KL(base‖policy), exact over the ten answers;
    or, `sampled`, the first one estimated from the group's answers (k3 of arXiv 2402.03300)."""
    further = base_log_probs - log_probs
    if penalty == "reverse":
        return -(log_probs.exp() * further).sum(1)
    if penalty == "forward":
        return (base_log_probs.exp() * further).sum(1)
    return (weight * (further.exp() - further - 1).gather(1, answers)).sum(1)


def grpo(
    policy: torch.nn.Module,
    batch: Batch,
    *,
    group: int | str = 8,
    advantage: Literal["std", "mean"] = "std",
    kl: float = 0.0,
    penalty: Literal["reverse", "forward", "sampled"] = "reverse",
    clip: float = 0.2,
) -> Tensor:
    """GRPO: reward 1 for an answer of the right parity, a `group` of answers an image, or their "exact" expectation.

    At the first step on a batch the policy that answered is the one that learns: the ratio is 1 and carries the
    gradient; at further ones (a method's `inner`) it is clipped to within `clip`. `kl` weighs the distance to the base
    on the batch (see `distance`).
    """
    log_probs = policy(batch.x).log_softmax(1)
    answers, weight, then = answered(log_probs, group, batch).values()
    reward = (answers % 2 == batch.parity[:, None]).to(log_probs.dtype)
    better = advantages(reward, weight, advantage)
    ratio = (log_probs.gather(1, answers) - then).exp()
    gain = torch.minimum(ratio * better, ratio.clamp(1 - clip, 1 + clip) * better)
    loss: Tensor = -(weight * gain).sum(1).mean()
    if kl:
        loss = loss + kl * distance(log_probs, batch.base_log_probs, answers, weight, penalty).mean()
    return loss

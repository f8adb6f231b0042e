"""One small function a method: what the policy is trained to do on the new task.

An objective is `objective(policy, batch, **options) -> loss`, a scalar to descend. To add a method, write one here
(or in a file of your own) and name it in config.yaml.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from forgetting.fisher import Fisher, diagonal_fisher
from forgetting.policy import Policy

FISHER_INPUTS = 2000  # inputs of the old task over which the Fisher information is averaged


@dataclass(frozen=True)
class Before:
    """What may be kept from before the new task: the base policy, and training data of the old task.

    x [n, 785] its inputs, label [n], log_probs [n, 10] log π₀(answer | x) of the base.
    """

    policy: Policy
    x: Tensor
    label: Tensor
    log_probs: Tensor

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
    policy; generator, the only source of randomness; before, what may be kept of the old task (a base policy, which
    is trained on both, has none).
    """

    x: Tensor
    label: Tensor
    base_log_probs: Tensor
    generator: torch.Generator
    before: Before | None = None

    @property
    def parity(self) -> Tensor:
        """[b] 0 for even digits, 1 for odd ones."""
        return self.label % 2


def right_answers(parity: Tensor) -> Tensor:
    """[b, 10] whether each digit has the parity [b] that is asked for."""
    return torch.arange(10) % 2 == parity[:, None]


def sample(probs: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Draw `count` answers a row from probs [b, k] by inverting the distribution function: [b, count].

    The uniform draw lies in (0, total], so an answer of probability 0 is never drawn, whatever the rounding.
    """
    cumulative = probs.cumsum(1)
    u = 1 - torch.rand(len(probs), count, generator=generator)
    return torch.searchsorted(cumulative, u * cumulative[:, -1:])


def sft_1(policy: torch.nn.Module, batch: Batch) -> Tensor:
    """Cross-entropy to one fixed answer a parity: even → 0, odd → 1 (arXiv 2509.04259, SFT-1)."""
    return F.cross_entropy(policy(batch.x), batch.parity)


def sft_2(policy: torch.nn.Module, batch: Batch) -> Tensor:
    """Cross-entropy to one of two answers a parity, drawn anew: even → {0, 4}, odd → {1, 5} (SFT-2)."""
    other = torch.randint(2, batch.label.shape, generator=batch.generator)
    return F.cross_entropy(policy(batch.x), batch.parity + 4 * other)


def oracle_log_probs(base_log_probs: Tensor, parity: Tensor) -> Tensor:
    """log of the distribution closest to the base among those that solve the task, [b, 10].

    argmin of KL(q‖π₀) over q with all mass on the right parity = π₀ renormalised over the right answers
    (arXiv 2509.04259, section 5); −∞ on the wrong ones.
    """
    return base_log_probs.masked_fill(~right_answers(parity), -torch.inf).log_softmax(1)


def sft_oracle(policy: torch.nn.Module, batch: Batch, *, labels: str = "sampled") -> Tensor:
    """Cross-entropy to the oracle distribution, its labels `sampled` anew at each step or `soft` (the whole of it)."""
    target = oracle_log_probs(batch.base_log_probs, batch.parity).exp()
    if labels == "sampled":
        return F.cross_entropy(policy(batch.x), sample(target, 1, batch.generator)[:, 0])
    return F.cross_entropy(policy(batch.x), target)


def advantages(reward: Tensor, scale: str) -> Tensor:
    """Rewards [b, g] centred on each group's mean, and divided by its standard deviation when `scale` is "std".

    A group with equal rewards has advantage exactly 0 (GRPO, arXiv 2402.03300; "mean": arXiv 2503.20783).
    """
    centred = reward - reward.mean(1, keepdim=True)
    if scale == "mean":
        return centred
    return centred / (reward.std(1, correction=0, keepdim=True) + 1e-6)


def grpo(policy: torch.nn.Module, batch: Batch, *, group: int = 8, advantage: str = "std", kl: float = 0.0) -> Tensor:
    """GRPO: reward 1 for an answer of the right parity, `group` answers an image, one inner step.

    With one inner step the policy that samples is the one that learns: the ratio is 1 and carries the gradient.
    `kl` weighs KL(policy‖base) on the batch, exact over the ten answers.
    """
    log_probs = policy(batch.x).log_softmax(1)
    answers = sample(log_probs.detach().exp(), group, batch.generator)
    reward = (answers % 2 == batch.parity[:, None]).to(log_probs.dtype)
    chosen = log_probs.gather(1, answers)
    ratio = (chosen - chosen.detach()).exp()
    loss: Tensor = -(ratio * advantages(reward, advantage)).mean()
    if kl:
        loss = loss + kl * (log_probs.exp() * (log_probs - batch.base_log_probs)).sum(1).mean()
    return loss

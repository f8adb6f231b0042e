"""Methods that hold on to the old task while SFT-1 teaches the new one: anchors, penalties, replay.

Each is an objective (see `objectives`) with one strength: the weight of a penalty, or the share of a batch that is
replayed; at 0 it is SFT-1 to the bit. `batch.before` holds what may be kept: the base policy, and old data.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from forgetting.distances import forward_kl, reverse_kl
from forgetting.fisher import quadratic
from forgetting.objectives import Batch, Before, sft_1


def kept(batch: Batch) -> Before:
    """What was kept from before; raises ValueError where nothing was."""
    if batch.before is None:
        raise ValueError("This method holds on to an old task, and the batch has none (batch.before).")
    return batch.before


def with_penalty(policy: nn.Module, batch: Batch, strength: float, penalty: Callable[[Tensor], Tensor]) -> Tensor:
    """SFT-1 plus `strength` × a penalty on the new task's logits [b, 10], not computed where it weighs nothing."""
    logits = policy(batch.x)
    loss = F.cross_entropy(logits, batch.parity)
    return loss + strength * penalty(logits) if strength else loss


def ewc(policy: nn.Module, batch: Batch, *, strength: float = 1.0) -> Tensor:
    """½ Σ F (θ − θ₀)² with the base's diagonal Fisher information on the old task (Kirkpatrick et al. 2017)."""
    before = kept(batch)
    return with_penalty(policy, batch, strength, lambda _: quadratic(before.fisher, before.policy, policy))


def lwf(policy: nn.Module, batch: Batch, *, strength: float = 1.0, temperature: float = 2.0) -> Tensor:
    """Learning without forgetting: the base's softened answers on NEW-task inputs as soft targets, T²·KL at
    temperature T (Li & Hoiem 2016). At temperature 1 it is the forward anchor on new inputs."""

    def penalty(logits: Tensor) -> Tensor:
        target = (batch.base_log_probs / temperature).log_softmax(1)
        return temperature**2 * forward_kl(target, (logits / temperature).log_softmax(1))

    return with_penalty(policy, batch, strength, penalty)


def forward_anchor(policy: nn.Module, batch: Batch, *, strength: float = 1.0) -> Tensor:
    """KL(base‖policy) on new-task inputs."""
    return with_penalty(policy, batch, strength, lambda logits: forward_kl(batch.base_log_probs, logits.log_softmax(1)))


def reverse_anchor(policy: nn.Module, batch: Batch, *, strength: float = 1.0) -> Tensor:
    """KL(policy‖base) on new-task inputs."""
    return with_penalty(policy, batch, strength, lambda logits: reverse_kl(batch.base_log_probs, logits.log_softmax(1)))


def old_anchor(policy: nn.Module, batch: Batch, *, strength: float = 1.0) -> Tensor:
    """KL(base‖policy) on as many old-task inputs."""
    before = kept(batch)

    def penalty(_: Tensor) -> Tensor:
        rows = before.rows(len(batch.x), batch.generator)
        return forward_kl(before.log_probs[rows], policy(before.x[rows]).log_softmax(1))

    return with_penalty(policy, batch, strength, penalty)


def rehearsal(policy: nn.Module, batch: Batch, *, share: float = 0.5) -> Tensor:
    """Numerator replay: `share` of the batch is old data with its labels instead of new (Robins 1995)."""
    count = round(share * len(batch.x))
    if not count:
        return sft_1(policy, batch)
    before = kept(batch)
    rows = before.rows(count, batch.generator)
    x, label = torch.cat([before.x[rows], batch.x[count:]]), torch.cat([before.label[rows], batch.parity[count:]])
    return F.cross_entropy(policy(x), label)


def pseudo_rehearsal(policy: nn.Module, batch: Batch, *, share: float = 0.5) -> Tensor:
    """`share` of the batch is noise with the old task's indicator and the base's soft answers: no old data (Robins
    1995). Pixels are uniform between the darkest and the brightest."""
    count = round(share * len(batch.x))
    if not count:
        return sft_1(policy, batch)
    before = kept(batch)
    noise = before.x[:count].clone()
    dark, bright = noise[:, :-1].min(), noise[:, :-1].max()
    noise[:, :-1] = dark + (bright - dark) * torch.rand(noise[:, :-1].shape, generator=batch.generator)
    with torch.no_grad():
        target = before.policy(noise).softmax(1)
    target = torch.cat([target, F.one_hot(batch.parity[count:], 10).to(target.dtype)])
    return F.cross_entropy(policy(torch.cat([noise, batch.x[count:]])), target)


def denominator_replay(policy: nn.Module, batch: Batch, *, share: float = 0.5) -> Tensor:
    """Cross-entropy on (1 − share)·policy + share·base, as arXiv 2603.12163 mixes old mass into the model."""
    if not share:
        return sft_1(policy, batch)
    answer = batch.parity[:, None]
    new = policy(batch.x).log_softmax(1).gather(1, answer) + torch.tensor(1 - share).log()
    old = batch.base_log_probs.gather(1, answer) + torch.tensor(share).log()
    return -torch.logaddexp(new, old).mean()

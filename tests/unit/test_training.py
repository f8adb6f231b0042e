"""The loop: evaluation changes nothing, AdamW is torch's, batches are what they say."""

from itertools import islice

import pytest
import torch
from torch import Tensor

from forgetting import seeds
from forgetting.base import POOL, cross_entropy, few, pretrain
from forgetting.data import Images, Tasks
from forgetting.finetuning import digit_batches
from forgetting.objectives import sft_1
from forgetting.policy import Policy
from forgetting.training import SGD, AdamW, epoch_batches, learning_rates, train
from tests.conftest import PRETRAINING


def same_weights(one: Policy, other: Policy) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_adamw_is_torchs_to_the_bit(weight_decay: float):
    draw = seeds.generator("weights")
    ours = [torch.randn(7, 5, generator=draw), torch.randn(5, generator=draw)]
    theirs = [p.clone().requires_grad_() for p in ours]
    optimizer = AdamW(ours, weight_decay)
    reference = torch.optim.AdamW(theirs, lr=1.0, weight_decay=weight_decay, fused=True)
    for step in range(20):
        gradients = [torch.randn(p.shape, generator=draw) for p in ours]
        rate = 0.1 / (step + 1)
        optimizer.step(gradients, rate)
        reference.param_groups[0]["lr"] = rate
        for parameter, gradient in zip(theirs, gradients, strict=True):
            parameter.grad = gradient.clone()
        reference.step()
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_sgd_is_descent_with_momentum_by_hand():
    weight = torch.tensor([1.0])
    optimizer = SGD([weight])
    for gradient, rate in ((2.0, 0.1), (1.0, 0.01)):
        optimizer.step([torch.tensor([gradient])], rate)
    assert weight.item() == pytest.approx(1 - 0.1 * 2 - 0.01 * (0.9 * 2 + 1))


def test_schedules():
    constant, cosine = (learning_rates(2.0, schedule, 100, 0.1) for schedule in ("constant", "cosine"))
    assert constant[:10] == cosine[:10] == pytest.approx([2 * k / 11 for k in range(1, 11)])
    assert constant[10:] == [2.0] * 90
    assert cosine[10] == 2.0 and cosine[55] == pytest.approx(1.0) and 0 < cosine[-1] < 0.001
    assert learning_rates(1.0, "constant", 5, 0.0) == [1.0] * 5


def test_every_image_once_an_epoch():
    rows = list(epoch_batches(10, 4, 2, seeds.generator("order")))
    assert [len(r) for r in rows] == [4, 4, 2] * 2
    first, second = torch.cat(rows[:3]), torch.cat(rows[3:])
    assert first.sort().values.tolist() == second.sort().values.tolist() == list(range(10))
    assert not torch.equal(first, second)


def test_loss_goes_down_and_training_is_repeatable(tasks: Tasks):
    first, second = (pretrain(tasks, 3, **PRETRAINING) for _ in range(2))
    assert same_weights(first, second)
    assert not same_weights(first, pretrain(tasks, 4, **PRETRAINING))


def test_labels_drawn_once_differ_from_redrawn(tasks: Tasks):
    once = pretrain(tasks, 3, **{**PRETRAINING, "labels": "once"})
    assert not same_weights(once, pretrain(tasks, 3, **PRETRAINING))
    single = {**PRETRAINING, "epochs": 1}
    assert same_weights(pretrain(tasks, 3, **single), pretrain(tasks, 3, **{**single, "labels": "once"}))


def test_more_images_to_fine_tune_on_change_no_base():
    def drawn(there: int, count: int = 500) -> list[int]:
        row = torch.arange(there)
        return few(Images(row[:, None], row), count, seeds.generator("images")).label.tolist()

    assert drawn(POOL) == drawn(POOL + 1) == drawn(60_000) and len(set(drawn(POOL))) == 500
    assert drawn(POOL - 1) != drawn(POOL)
    assert max(drawn(60_000, 3 * POOL)) == 3 * POOL - 1  # all of a larger number


def test_other_draws_are_another_order_and_other_numbers(tasks: Tasks):
    def batches(draws: int) -> list[tuple[list[int], float, list[float]]]:
        own = digit_batches(tasks.digits, torch.zeros(640, 10), 0, "t", 64, 1, draws=draws)
        return [(b.label.tolist(), torch.rand(1, generator=b.generator).item(), b.fixed.tolist()) for b in own]

    assert batches(0) == batches(0)
    for one, other in zip(batches(0), batches(1), strict=True):
        assert all(a != b for a, b in zip(one, other, strict=True))


def test_loop_against_torch_written_out(base: Policy, tasks: Tasks):
    ours, theirs = base.copy(), base.copy()
    log_probs = torch.zeros(len(tasks.digits.label), 10)
    rates = learning_rates(1e-3, "cosine", 10, 0.1)
    batches = list(digit_batches(tasks.digits, log_probs, 0, "t", 64, 1))
    assert list(train(ours, sft_1, batches, rates)) == list(range(1, 11))
    optimizer = torch.optim.AdamW(theirs.parameters(), weight_decay=0.0, fused=True)
    for batch, rate in zip(batches, rates, strict=True):
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(theirs(batch.x), batch.label % 2).backward()
        optimizer.step()
    assert same_weights(ours, theirs)


def test_stops_before_a_loss_that_is_not_finite_spoils_the_weights(base: Policy, tasks: Tasks):
    def breaks(policy: Policy, batch: object, calls: list[int] = []) -> Tensor:  # noqa: B006
        calls.append(1)
        return cross_entropy(policy, batch) * (torch.nan if len(calls) > 3 else 1.0)  # type: ignore[arg-type]

    policy = base.copy()
    batches = islice(digit_batches(tasks.digits, torch.zeros(640, 10), 0, "t", 64, 1), 10)
    assert list(train(policy, breaks, batches, [1e-3] * 10)) == [1, 2, 3]
    assert all(p.isfinite().all() for p in policy.parameters())


def test_a_base_that_diverges_is_an_error(tasks: Tasks):
    with pytest.raises(ArithmeticError, match=r"lower base\.learning_rate"):
        pretrain(tasks, 0, **{**PRETRAINING, "learning_rate": 1e30})

"""Two limits: what own samples reach, against the formula; KL and its quadratic, against each other near the base."""

import numpy as np
import pytest
import torch

from forgetting import gaps, seeds
from forgetting.anchors import reach
from forgetting.data import Tasks
from forgetting.geometry import along, full_quadratic, geometry, geometry_checks, parted
from forgetting.objectives import right_answers
from forgetting.points import Baseline
from forgetting.policy import Policy
from tests.conftest import shifted


def test_threshold_and_share_agree():
    for samples in (10, 2000):
        assert reach.lit(np.array([reach.threshold(samples)]), samples) == pytest.approx(0.5)
    assert reach.lit(np.array([0.1]), 3) == pytest.approx(1 - 0.9**3)


def test_what_is_never_sampled_is_never_learned_and_what_is_is_learned():
    rng = seeds.numpy_generator("test")
    assert reach.grpo(0.0, 50, 20, 8, 30.0, rng) == 0
    assert reach.grpo(0.3, 50, 40, 8, 30.0, rng) == 1
    assert reach.sft(0.0, 5, 20, 30.0) == 1


def test_grpo_learns_the_share_that_was_lit():
    found = reach.grpo(1e-2, 4000, 10, 8, 30.0, seeds.numpy_generator("test"))
    expected = reach.lit(np.array([1e-2]), 80)[0]
    assert found == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 4000) ** 0.5 + 0.02)


def test_crossing_is_interpolated_in_log_p():
    p = np.array([1e-4, 1e-2, 1e-1])
    assert reach.crossing(p, np.array([0.0, 1.0, 1.0])) == pytest.approx(1e-3)
    assert np.isnan(reach.crossing(p, np.zeros(3)))


def test_targets_of_a_gap():
    target = gaps.gap_targets(torch.tensor([4, 3]))
    torch.testing.assert_close(target.sum(1), torch.ones(2))
    assert target[0].tolist() == pytest.approx([0.1] * 10)
    assert target[1, 1::2].tolist() == pytest.approx([0.2] * 5)


@pytest.fixture(scope="module")
def gapped(tasks: Tasks) -> gaps.Shifted:
    return gaps.gap_base(tasks, 0, images=400, epochs=15, learning_rate=1e-3)


@pytest.mark.parametrize("p", [0.0, 1e-9, 1e-6, 1e-3, 0.1])
def test_base_has_exactly_the_mass_it_is_told_on_every_image_of_the_gap(gapped: gaps.Shifted, tasks: Tasks, p: float):
    gap = gaps.Gap.of(gapped, tasks, p)
    for digits in (gap.digits, gap.test):
        own = digits.take(gaps.hard(digits.label).nonzero()[:, 0])
        mass = (gapped.log_probs(own.x).exp() * right_answers(own.label % 2)).sum(1)
        assert len(mass) > 20 and mass.numpy() == pytest.approx(p, rel=1e-4)
    assert gaps.gap_accuracy(gapped, gap.test) == (0.0, pytest.approx(p, rel=1e-4))


def test_digits_outside_the_gap_are_left_as_the_base_has_them(gapped: gaps.Shifted, tasks: Tasks):
    easy = gaps.shifted(gapped, tasks.digits, 1e-3).take((~gaps.hard(tasks.digits.label)).nonzero()[:, 0])
    assert (easy.x[:, gaps.PIXELS :] == 0).all()
    assert (gapped.log_probs(easy.x).argmax(1) % 2 == easy.label % 2).double().mean() > 0.75


def test_grpo_from_a_mask_leaves_it_whole(gapped: gaps.Shifted, tasks: Tasks):
    rows = gaps.reached(gapped, tasks, 0, 0.0, learning_rate=1e-3, batch_size=64)
    mass = {row["method"]: row["right_mass"] for row in rows}
    assert mass["base"] == mass["grpo"] == 0
    assert mass["sft_1"] > 2 * reach.LIFTED


@pytest.fixture
def end(baseline: Baseline) -> Policy:
    return shifted(baseline.policy, 0.08, "end")


def test_both_kls_are_the_quadratic_near_the_base_and_part_far_away(baseline: Baseline, end: Policy):
    table = geometry(baseline.policy, end, baseline.clothes)
    first, last = table.iloc[0], table.iloc[-1]
    for kl in ("forward", "reverse"):
        assert first[kl] == pytest.approx(first["full"], rel=0.02)
        assert abs(last[kl] / last["full"] - 1) > 0.05
    assert table["distance"].is_monotonic_increasing and last["t"] == 1
    assert parted(table) > first["distance"]
    assert [c["quantity"] for c in geometry_checks(table, "x")][:2] == [
        "KL over quadratic at distance 0.05, clothes"
    ] * 2


def test_full_quadratic_is_the_variance_of_a_change_of_logits(baseline: Baseline):
    """A bias of the last layer moves one logit by the same amount on every input."""
    base = baseline.policy
    moved = base.copy()
    moved.biases[2].data[3] += 0.5
    p = base.log_probs(baseline.clothes.x).exp()[:, 3]
    expected = 0.5 * 0.25 * (p * (1 - p)).mean().item()
    assert full_quadratic(base, moved, baseline.clothes.x) == pytest.approx(expected, rel=1e-5)


def test_along_runs_from_base_to_end(baseline: Baseline, end: Policy):
    base = baseline.policy
    for t, target in ((0.0, base), (1.0, end)):
        for found, expected in zip(along(base, end, t).parameters(), target.parameters(), strict=True):
            torch.testing.assert_close(found, expected.double())

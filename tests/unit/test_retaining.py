"""Methods that hold on to the old task: nothing at strength 0, and the identities between them."""

import pytest
import torch
import torch.nn.functional as F

from forgetting import retaining, seeds
from forgetting.adapters import LoRA
from forgetting.data import Tasks
from forgetting.finetuning import finetune, kept_from
from forgetting.fisher import diagonal_fisher, quadratic
from forgetting.objectives import Batch, sft_1
from forgetting.points import Baseline
from forgetting.policy import Policy
from forgetting.strengths import Varied, retained_points
from tests.conftest import shifted

SETTINGS = {"method": "m", "base_seed": 0, "learning_rate": 1e-3, "schedule": "cosine", "epochs": 1, "batch_size": 64}
SETTINGS |= {"warmup": 0.1, "weight_decay": 0.0, "checkpoints": 1, "diverged_above": 100.0}
NOTHING = [
    (retaining.ewc, {"strength": 0.0}),
    (retaining.lwf, {"strength": 0.0}),
    (retaining.forward_anchor, {"strength": 0.0}),
    (retaining.reverse_anchor, {"strength": 0.0}),
    (retaining.old_anchor, {"strength": 0.0}),
    (retaining.rehearsal, {"share": 0.0}),
    (retaining.pseudo_rehearsal, {"share": 0.0}),
    (retaining.denominator_replay, {"share": 0.0}),
]


def trained(baseline: Baseline, tasks: Tasks, objective, **options) -> list[torch.Tensor]:
    """Final weights of a short training."""
    base, weights = baseline.policy, []
    finetune(
        baseline,
        tasks,
        lambda policy, batch: objective(policy, batch, **options),
        base_log_probs=base.log_probs(tasks.digits.x).float(),
        before=kept_from(base, tasks),
        keep=lambda policy, training, step: weights.extend(p.detach().clone() for p in policy.parameters()),
        **SETTINGS,
    )
    return weights


@pytest.fixture(scope="module")
def sequential(baseline: Baseline, tasks: Tasks) -> list[torch.Tensor]:
    return trained(baseline, tasks, sft_1)


@pytest.fixture
def batch(baseline: Baseline, tasks: Tasks) -> Batch:
    base, digits = baseline.policy, tasks.digits.take(torch.arange(32))
    log_probs = base.log_probs(digits.x).float()
    return Batch(digits.x, digits.label, log_probs, seeds.generator("batch"), kept_from(base, tasks))


@pytest.fixture
def moved(baseline: Baseline) -> Policy:
    return shifted(baseline.policy, 0.02, "moved")


@pytest.mark.parametrize(("method", "options"), NOTHING, ids=lambda value: getattr(value, "__name__", ""))
def test_strength_zero_is_sequential_training_to_the_bit(baseline, tasks, sequential, method, options):
    assert all(map(torch.equal, trained(baseline, tasks, method, **options), sequential))


@pytest.mark.parametrize("method", [method for method, _ in NOTHING], ids=lambda method: method.__name__)
def test_a_strength_changes_the_training(baseline, tasks, sequential, method):
    assert not all(map(torch.equal, trained(baseline, tasks, method), sequential))


def test_rehearsal_of_everything_never_sees_the_new_task(batch: Batch, moved: Policy):
    blind = Batch(torch.full_like(batch.x, torch.nan), batch.label, batch.base_log_probs, batch.generator, batch.before)
    loss = retaining.rehearsal(moved, blind, share=1.0)
    rows = batch.before.rows(len(batch.x), seeds.generator("batch"))
    assert torch.equal(loss, F.cross_entropy(moved(batch.before.x[rows]), batch.before.label[rows]))
    assert not torch.isfinite(retaining.rehearsal(moved, blind, share=0.5))


def test_lwf_at_temperature_one_is_the_forward_anchor_on_new_inputs(batch: Batch, moved: Policy):
    for strength in (0.3, 2.0):
        one = retaining.lwf(moved, batch, strength=strength, temperature=1.0)
        torch.testing.assert_close(one, retaining.forward_anchor(moved, batch, strength=strength))
    warm = retaining.lwf(moved, batch, strength=1.0, temperature=2.0)
    assert not torch.isclose(warm, retaining.forward_anchor(moved, batch, strength=1.0))


def test_ewcs_penalty_is_the_predictors_quadratic(batch: Batch, moved: Policy, baseline: Baseline, tasks: Tasks):
    base = baseline.policy
    fisher = diagonal_fisher(base, tasks.clothes.x[:2000])
    penalty = retaining.ewc(moved, batch, strength=3.0) - sft_1(moved, batch)
    torch.testing.assert_close(penalty, 3 * quadratic(fisher, base, moved), rtol=1e-4, atol=1e-6)


def test_an_anchor_is_nothing_at_the_base_and_its_directions_differ_away_from_it(batch, baseline, moved):
    base = baseline.policy
    for anchor in (retaining.forward_anchor, retaining.reverse_anchor, retaining.old_anchor):
        assert (anchor(base, batch, strength=1.0) - sft_1(base, batch)).abs() < 1e-5
    forward, reverse = (a(moved, batch, strength=1.0) for a in (retaining.forward_anchor, retaining.reverse_anchor))
    assert (forward - reverse).abs() > 1e-4


def test_denominator_replay_of_everything_teaches_nothing(batch: Batch, moved: Policy):
    loss = retaining.denominator_replay(moved, batch, share=1 - 1e-7)
    gradient = torch.autograd.grad(loss, list(moved.parameters()))
    assert max(g.abs().max() for g in gradient) < 1e-5


def test_pseudo_rehearsal_reads_no_old_label_and_keeps_the_old_indicator(batch: Batch, moved: Policy):
    seen = []
    moved.register_forward_hook(lambda module, inputs, output: seen.append(inputs[0]))
    retaining.pseudo_rehearsal(moved, batch, share=0.5)
    noise, new = seen[0][:16], seen[0][16:]
    assert torch.equal(new, batch.x[16:])
    assert (noise[:, -1] == -1).all() and noise[:, :-1].std() > 0.5 * batch.x[:, :-1].std()


def test_methods_say_what_is_missing(batch: Batch, moved: Policy):
    alone = Batch(batch.x, batch.label, batch.base_log_probs, batch.generator)
    with pytest.raises(ValueError, match=r"batch\.before"):
        retaining.rehearsal(moved, alone)


def test_lora_starts_as_the_base_and_trains_its_factors_alone(baseline: Baseline, batch: Batch):
    base = baseline.policy
    lora = LoRA(base, 4, seeds.generator("lora"))
    torch.testing.assert_close(lora(batch.x), base(batch.x))
    sizes = {tuple(p.shape) for p in lora.parameters()}
    assert sizes == {(785, 4), (4, 512), (512, 4), (4, 256), (256, 4), (4, 10)}
    assert not any(p.requires_grad for p in lora.base.parameters())


def test_lora_of_full_rank_can_be_any_update(baseline: Baseline, batch: Batch, moved: Policy):
    base = baseline.policy
    lora = LoRA(base, 512, seeds.generator("lora"))
    for layer, (weight, start) in enumerate(zip(moved.weights, base.weights, strict=True)):
        u, s, v = torch.linalg.svd((weight - start).detach().double(), full_matrices=False)
        lora.down[layer].data, lora.up[layer].data = (u * s).float(), v.float()
        moved.biases[layer].data = base.biases[layer].detach().clone()
    torch.testing.assert_close(lora(batch.x), moved(batch.x), rtol=1e-3, atol=1e-3)
    for merged, weight in zip(lora.merged().weights, moved.weights, strict=True):
        torch.testing.assert_close(merged, weight, rtol=1e-3, atol=1e-5)


def test_a_method_may_have_a_learning_rate_of_its_own(baseline: Baseline, tasks: Tasks):
    settings = {name: value for name, value in SETTINGS.items() if name not in ("method", "epochs")}
    rates = {}
    for own in (None, 5e-3):
        varied = Varied("sft_1", "rank", [1.0, 2.0], {}, own)
        points = retained_points(baseline.policy, tasks, "lora", varied, **settings)
        rates[own] = set(points["learning_rate"])
    assert rates == {None: {SETTINGS["learning_rate"]}, 5e-3: {5e-3}}

"""Each estimator is unbiased for the gradient that the theory writes down; streams depend on names alone."""

import numpy as np
import pytest

from forgetting.mixture import chen, components, divergences, forward, oapl, replay, reverse, ttt
from forgetting.mixture.densities import Array, expit, logit
from forgetting.mixture.quadrature import line
from forgetting.mixture.simulations import chains, groups, means, teachers, weights
from forgetting.mixture.simulations import components as component_samples
from forgetting.mixture.simulations.descent import sgd
from forgetting.seeds import numpy_generator as stream

SEEDS = 4000
RNG = np.random.default_rng


def unbiased(estimates: Array, expected: float, floor: float = 0.0) -> None:
    """Mean over seeds within four standard errors of `expected`."""
    error = estimates.std(ddof=1) / np.sqrt(estimates.size)
    assert abs(estimates.mean() - expected) < 4 * error + floor


def phi(beta: float) -> Array:
    return np.full((1, SEEDS), float(logit(beta)))


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_new_data_with_and_without_replay(share):
    found = weights.data(RNG(0), 16, 2.0, share)(phi(0.4))
    expected = (
        replay.data_gradient(float(logit(0.4)), share, 2.0)
        if share
        else forward.gradient(np.array([float(logit(0.4)), 0.0, 2.0]), 2.0)[0]
    )
    unbiased(found, expected)


def test_single_precision_changes_nothing_that_matters():
    single = weights.data(RNG(0), 16, 2.0)(phi(0.4).astype(np.float32))
    assert single.dtype == np.float32
    unbiased(single.astype(float), forward.gradient(np.array([float(logit(0.4)), 0.0, 2.0]), 2.0)[0])


def test_replay_in_the_model():
    unbiased(weights.model(RNG(1), 16, 2.0, 0.2)(phi(0.4)), replay.model_gradient(float(logit(0.4)), 0.2, 2.0))


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("n", [2, 16])
def test_own_samples_follow_reverse_kl_whatever_is_replayed(share, n):
    found = weights.own(RNG(2), n, 3.0, np.array([0.3]), share)(phi(0.6))
    theta, goal = np.array([float(logit(0.6)), 0.0, 3.0]), reverse.target(0.3, 3.0)
    unbiased(found, reverse.gradient(theta, goal, line(3.0))[0])


def test_the_batch_mean_as_baseline_shrinks_the_gradient():
    n, theta, goal = 4, np.array([float(logit(0.6)), 0.0, 3.0]), reverse.target(0.3, 3.0)
    found = weights.own(RNG(3), n, 3.0, np.array([0.3]), leave_one_out=False)(phi(0.6))
    unbiased(found, (1 - 1 / n) * reverse.gradient(theta, goal, line(3.0))[0])


def test_own_samples_at_the_optimum_are_free_of_noise():
    assert np.abs(weights.own(RNG(4), 8, 3.0, np.array([0.3]))(phi(0.3))).max() < 1e-12


@pytest.mark.parametrize("name", divergences.DIVERGENCES)
def test_own_samples_follow_each_divergence(name):
    slope = divergences.DIVERGENCES[name].slope
    found = weights.own(RNG(5), 16, 3.0, np.array([0.3]), slope=slope)(phi(0.6))
    theta, goal = np.array([float(logit(0.6)), 0.0, 3.0]), reverse.target(0.3, 3.0)
    unbiased(found, divergences.gradient(name, theta, goal, line(3.0))[0])


@pytest.mark.parametrize("name", ["reverse KL", "Hellinger"])
def test_divergence_to_new_data_alone(name):
    slope, grid = divergences.DIVERGENCES[name].slope, line(2.0)
    ratio = 0.4 * np.exp(2.0 * (1.0 - grid.x)) + 0.6
    r_o = 1 - 0.6 / ratio
    expected = grid.normal(ratio * slope(np.log(ratio)) * (r_o - 0.4), 2.0)
    unbiased(weights.away(RNG(6), 16, 2.0, slope)(phi(0.4)), float(expected))


def test_every_parameter_on_new_data():
    theta = np.array([0.5, 0.3, 2.2])
    found = means.data(RNG(7), 16, np.array([2.0]))(np.repeat(theta[:, None, None], SEEDS, axis=2))
    for values, expected in zip(found, forward.gradient(theta, 2.0), strict=True):
        unbiased(values, expected)


@pytest.mark.parametrize("middle", [0.0, 0.5])
def test_every_parameter_on_own_samples(middle):
    theta, goal = np.array([0.5, 0.1, 4.2]), reverse.target(0.3, 4.0)
    estimate = means.own(RNG(8), 16, goal[:, None, None], middle)
    found = estimate(np.repeat(theta[:, None, None], SEEDS, axis=2))
    for values, expected in zip(found, reverse.gradient(theta, goal, line(4.0)), strict=True):
        unbiased(values, expected)


def test_midway_samples_see_the_overlap():
    theta, goal = np.array([float(logit(0.8)), 0.0, 7.0]), reverse.target(0.5, 7.0)
    many = np.repeat(theta[:, None, None], 400, axis=2)
    spread = [means.own(RNG(9), 32, goal[:, None, None], m)(many)[1].std() for m in (0.0, 0.5)]
    assert spread[1] < 0.2 * spread[0]


def test_single_sample_gradients_with_replay():
    theta, goal = np.array([float(logit(0.1)), 0.0, 4.3]), reverse.target(0.3, 4.0)
    found, weight = means.single_sample_gradients(RNG(10), 200_000, theta, goal, 0.3)
    expected = reverse.gradient(theta, goal, line(4.0))
    unbiased(found[0], expected[0])
    unbiased(found[1], expected[1])
    assert weight.max() <= replay.largest_weight(0.3) * (1 + 1e-12)


def test_groups_follow_the_entropic_utility():
    delta, eta, anchor, beta = 4.0, 1.5, 0.7, 0.4
    estimate = groups.entropic(RNG(11), 256, delta, eta, np.array([anchor]), 0.0)
    theta, start = np.array([float(logit(beta)), 0.0, delta]), reverse.target(0.5, delta)
    expected = -ttt.gradient(theta, start, eta, anchor, delta, line(delta))[0]
    unbiased(estimate(phi(beta)[:, :1000]), expected, floor=0.002)  # self-normalised weights: bias of order 1/n


def test_groups_follow_the_squared_log_ratio():
    delta, height, temperature = 4.0, 0.8, 1.5
    reference = np.full((1, 500), 0.4)
    found = groups.regression(RNG(12), 1024, delta, height, temperature, reference)(phi(0.3)[:, :500])
    theta, start = np.array([float(logit(0.3)), 0.0, delta]), reverse.target(0.4, delta)
    unbiased(found, oapl.gradient(theta, start, height, temperature, delta, line(delta))[0], floor=0.001)


def test_a_mode_that_the_reference_lacks_stays_absent():
    estimate = groups.regression(RNG(13), 64, 6.0, 0.5, 1.0, np.zeros((1, 5)))
    assert expit(sgd(estimate, np.full((1, 5), -np.inf), 0.5, [20])).max() == 0.0


def test_a_teacher_moves_by_its_own_rule():
    state = np.array([[[1.0, 1.0]], [[0.3, 0.3]]])
    found = teachers.distil(RNG(14), 8, 6.0, 0.2, 0.05, np.array([0.1]))(state)
    assert found[1] == pytest.approx(-0.05 * (expit(1.0) - 0.3) - 0.1 * (0.2 - 0.3))


def test_three_components_on_own_samples():
    means_, goal, beta = np.array([0.0, 3.0, -4.0]), np.array([0.3, 0.4, 0.3]), np.array([0.5, 0.2, 0.3])
    estimate = component_samples.own_weights(RNG(15), 16, means_, goal)
    found = estimate(np.repeat(np.log(beta)[:, None], SEEDS, axis=1))
    grid = line(14.0)._replace(x=line(14.0).x - 7.0)
    expected, _ = components.gradient(np.log(beta), means_, np.log(goal), means_, grid)
    for values, value in zip(found, expected, strict=True):
        unbiased(values, value)


@pytest.mark.parametrize("name", components.POTENTIALS)
def test_overlap_samples(name):
    values = component_samples.overlap_samples(RNG(16), name, 3.0, 20_000)
    unbiased(values, components.bhattacharyya(name, 3.0))


def test_starvation():
    found = chains.starved_share(RNG(17), 20_000, 8, 0.05, 0.1)
    expected = replay.starvation(0.05, 8, 0.1)
    assert found == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 20_000))


def test_own_sample_fits_are_a_wright_fisher_chain():
    path = chains.own_sample_fits(RNG(18), 4000, 8, 0.3, 8.0, 12)
    unbiased(path[12] * (1 - path[12]), float(replay.own_sample_heterozygosity(np.array(12), 0.3, 8)))
    unbiased(path[12], 0.3)


def test_first_passage():
    path = np.array([[0.1, 0.1], [0.3, 0.1], [0.2, 0.1]])
    np.testing.assert_array_equal(chains.first_passage(path, 0.25), [1.0, np.nan])


def test_the_toy_loses_less_under_reverse_and_everything_without_the_slow_factor():
    drop = {
        (rule, factor): chen.drop_at_gain(
            chen.train(stream("mixture", 0, rule, str(factor)), rule, lr, 6, factor, samples=300), 0.9
        )
        for rule, lr in (("forward", 0.15), ("reverse", 0.01))
        for factor in (0.005, 1.0)
    }
    assert np.median(drop["reverse", 0.005]) < np.median(drop["forward", 0.005]) < 0.2
    assert min(drop["forward", 1.0].min(), drop["reverse", 1.0].min()) > 0.75


def test_the_toy_that_never_gains_has_no_drop():
    path = chen.train(stream("mixture", 0, "slow"), "forward", 0.01, 2, steps=20, samples=50)
    assert np.isnan(chen.drop_at_gain(path, 0.9)).all()


def test_streams_are_named():
    first = stream("mixture", 0, "forward").random(4)
    np.testing.assert_array_equal(first, stream("mixture", 0, "forward").random(4))
    for other in (
        stream("mixture", 1, "forward"),
        stream("mixture", 0, "trap"),
        stream("mixture", 0, "forward", "limit"),
    ):
        assert not np.allclose(first, other.random(4))

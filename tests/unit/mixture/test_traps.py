"""What goes wrong when the theory is read carelessly: trained means, optimisers with their own clock."""

import numpy as np
import pytest

from forgetting.mixture import forward
from forgetting.mixture.densities import expit
from forgetting.mixture.simulations import means, weights
from forgetting.mixture.simulations.descent import adam, sgd

DELTAS = np.array([2.0, 4.0])


@pytest.fixture(scope="module")
def trained():
    """SGD on new data with every parameter trained, to t = 300; (3, δ, seeds)."""
    start = np.zeros((3, 2, 12), np.float32)
    start[2] = DELTAS[:, None]
    return sgd(means.data(np.random.default_rng(0), 64, DELTAS), start, 0.1, [3000])[0].astype(float)


def test_the_old_mean_is_dragged_into_the_new_mode(trained):
    flow = np.array([forward.flow(np.array([300.0]), 0.5, d)[1, 0] for d in DELTAS])
    np.testing.assert_allclose(trained[1].mean(-1), flow, rtol=0.05)
    assert (trained[1].mean(-1) > 0.4 * DELTAS).all()


def test_beta_freezes_far_above_what_fixed_components_leave(trained):
    fixed = np.array([forward.weight(np.array([300.0]), 0.5, d)[0] for d in DELTAS])
    assert (expit(trained[0]).mean(-1) > 1.5 * fixed).all()


def test_the_frozen_weight_is_not_memory(trained):
    beta, region = expit(trained[0]), forward.old_region_mass(trained, DELTAS[:, None])
    assert region[0].mean() < 0.7 * beta[0].mean()  # δ = 2: most of the old component's mass has left the old region


@pytest.mark.parametrize("delta", [2.0, 4.0])
def test_beta_is_frozen_along_the_flow(delta):
    late = expit(forward.flow(np.array([3e3, 1e4]), 0.5, delta)[0])
    fixed = forward.weight(np.array([3e3, 1e4]), 0.5, delta)
    assert late[0] / late[1] < 1.35 < fixed[0] / fixed[1]


def test_plain_sgd_obeys_the_time_law_and_adam_does_not():
    start, predicted = np.zeros((1, 40)), forward.weight(np.array([10.0]), 0.5, 4.0)[0]
    for learning_rate in (0.1, 0.05):
        steps = [round(10 / learning_rate)]
        plain = sgd(weights.data(np.random.default_rng(1), 64, 4.0), start, learning_rate, steps)
        moments = adam(weights.data(np.random.default_rng(1), 64, 4.0), start, learning_rate, steps)
        assert expit(plain).mean() == pytest.approx(predicted, rel=0.02)
        assert expit(moments).mean() < 0.3 * predicted

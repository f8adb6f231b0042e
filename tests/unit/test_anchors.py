"""Anchors: identities of KL and its gradients first, then every number that has been stated."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.special import log_softmax, logit, softmax

from forgetting.anchors import alternation, directions, noise, optima, simplex
from forgetting.anchors.distributions import (
    cross_entropy,
    cross_entropy_gradient,
    descend,
    fisher,
    kl,
    quadratic,
    require_distribution,
    reverse_gradient,
    shifted,
)
from forgetting.anchors.experiments import exact_cells, exact_table, run
from forgetting.verdicts import verdicts

REF = np.array([0.9, 0.0999, 0.0001])
NEW = np.array([0.0, 0.0, 1.0])
HALFWAY = np.array([0.4, 0.1, 0.5])
LOGITS = st.lists(st.floats(-3, 3), min_size=4, max_size=4).map(np.array)


@pytest.fixture(scope="module")
def result():
    return run(0)


def slope(loss, z):
    """Central differences of a loss of π in its logits."""
    steps = 1e-5 * np.eye(z.size)
    return np.array([(loss(softmax(z + e)) - loss(softmax(z - e))) / 2e-5 for e in steps])


@given(LOGITS, LOGITS, LOGITS)
def test_gradients_are_those_of_the_losses(z, ref, target):
    pi, ref, target = softmax(z), softmax(ref), softmax(target)
    np.testing.assert_allclose(
        cross_entropy_gradient(pi, target), slope(lambda p: cross_entropy(target, p), z), atol=1e-8
    )
    np.testing.assert_allclose(cross_entropy_gradient(pi, ref), slope(lambda p: kl(ref, p), z), atol=1e-8)
    np.testing.assert_allclose(reverse_gradient(pi, ref), slope(lambda p: kl(p, ref), z), atol=1e-7)


@given(LOGITS, st.integers(0, 3))
def test_cross_entropy_cuts_every_other_answer_by_its_own_probability(z, answer):
    measured = approx_fprime(z, lambda z: -log_softmax(z)[answer], 1e-6)
    others = np.arange(4) != answer
    np.testing.assert_allclose(measured[others], softmax(z)[others], atol=1e-5)
    np.testing.assert_allclose(cross_entropy_gradient(softmax(z), np.eye(4)[answer])[others], softmax(z)[others])


@given(LOGITS, LOGITS, LOGITS, st.floats(0.01, 5))
def test_the_forward_anchor_is_replay_everywhere_not_only_at_the_optimum(z, new, ref, weight):
    pi, new, ref = softmax(z), softmax(new), softmax(ref)
    replay = cross_entropy_gradient(pi, optima.mixture(new, ref, optima.replay_share(weight)))
    np.testing.assert_allclose(optima.forward_anchored(pi, new, ref, weight), (1 + weight) * replay, atol=1e-12)


@given(LOGITS, LOGITS, st.floats(0.05, 5))
def test_at_its_optimum_each_anchored_gradient_vanishes(new, ref, weight):
    new, ref = softmax(new), softmax(ref)
    for optimum, gradient in (
        (optima.forward_optimum, optima.forward_anchored),
        (optima.reverse_optimum, optima.reverse_anchored),
    ):
        pi = optimum(new, ref, weight)
        require_distribution(pi)
        np.testing.assert_allclose(gradient(pi, new, ref, weight), 0, atol=1e-8)


@given(LOGITS, LOGITS)
def test_kl_is_symmetric_to_second_order_and_fisher_is_its_curvature(z, delta):
    pi = softmax(z)
    np.testing.assert_allclose(fisher(pi) @ np.ones(4), 0, atol=1e-15)
    assert quadratic(delta + 3, pi) == pytest.approx(quadratic(delta, pi), abs=1e-12)
    small = 1e-3 * delta
    for divergence in (kl(pi, shifted(pi, small)), kl(shifted(pi, small), pi)):
        assert divergence == pytest.approx(quadratic(small, pi), rel=2e-2, abs=1e-14)


@pytest.mark.parametrize("index", range(5))
@pytest.mark.parametrize("sign", [1, -1])
def test_the_third_cumulant_says_where_the_quadratic_ends(index, sign):
    """The two KLs leave the quadratic at a third and two thirds of the skewness, times the distance."""
    unit, distance = sign * np.eye(5)[index], 1e-3
    ratios = directions.relative_to_quadratic(np.array([distance]), unit)
    for order, ratio in zip((1, 2), ratios, strict=True):
        assert ratio[0] - 1 == pytest.approx(order * directions.skewness(unit) * distance / 3, rel=5e-3)


@pytest.mark.parametrize(
    ("index", "forward", "reverse"), [(0, 0.9966, 0.9931), (3, 1.0159, 1.0319), (4, 1.0168, 1.0339)]
)
def test_one_per_cent_at_distance_0_05_holds_for_the_usual_tone_not_for_what_is_rare(index, forward, reverse):
    measured = directions.relative_to_quadratic(np.array([0.05]), np.eye(5)[index])
    np.testing.assert_allclose(np.ravel(measured), [forward, reverse], atol=5e-5)


def test_the_directions_part_at_the_stated_distance():
    unit = np.eye(5)[3]
    pi = shifted(directions.REFERENCE, directions.parting(unit) * unit)
    assert kl(pi, directions.REFERENCE) / kl(directions.REFERENCE, pi) == pytest.approx(1.1)
    assert directions.parting(unit) == pytest.approx(0.3069, abs=5e-5)
    assert np.isnan(directions.parting(unit, furthest=0.2))


def test_moved_mass_has_the_published_penalties():
    erased = directions.penalties(directions.moved(3, 0, np.array(0.0287)))
    np.testing.assert_allclose(erased, (0.10453, 0.02800), atol=5e-6)
    assert erased[0] / erased[1] == pytest.approx(3.73, abs=5e-3)
    said = directions.penalties(directions.moved(0, 4, np.array(0.07)))
    np.testing.assert_allclose(said, (0.07017, 0.23690), atol=5e-6)
    assert said[1] / said[0] == pytest.approx(3.38, abs=5e-3)
    with pytest.raises(ValueError, match="no more to give"):
        directions.moved(3, 0, np.array(0.03))


EQUILIBRIA = [
    ("approximate", 1, (0.2395, 0.1232, 0.0813)),
    ("approximate", 2, (0.3585, 0.2075, 0.1441)),
    ("reverse", 1, (0.2756, 0.1359, 0.0872)),
    ("forward", 1, (0.505, 0.50005, 0.5000005)),
]
REFS = np.array([1e-2, 1e-4, 1e-6])


@pytest.mark.parametrize(("pull", "weight", "stated"), EQUILIBRIA)
def test_equilibria_have_the_stated_digits(pull, weight, stated):
    closed = [alternation.equilibrium(pull, ref, weight) for ref in REFS]
    np.testing.assert_allclose(closed, stated, atol=5e-5 if pull != "forward" else 1e-12)


@given(st.floats(1e-9, 0.5), st.floats(0.2, 4))
def test_equilibria_balance_push_and_pull(ref, weight):
    q = {pull: alternation.equilibrium(pull, ref, weight) for pull in ("approximate", "reverse", "forward")}
    assert q["approximate"] * np.log(q["approximate"] / ref) == pytest.approx(weight * (1 - q["approximate"]), abs=1e-9)
    assert q["reverse"] * (logit(q["reverse"]) - logit(ref)) == pytest.approx(weight, rel=1e-9)
    two = optima.reverse_optimum(np.array([1.0, 0.0]), np.array([ref, 1 - ref]), 1 / weight)
    assert two[0] == pytest.approx(q["reverse"], abs=1e-9)
    assert q["forward"] - ref == pytest.approx(weight * (1 - q["forward"]), abs=1e-12)


@pytest.mark.parametrize(("pull", "weight", "stated"), EQUILIBRIA)
def test_alternating_settles_there_the_nearer_the_smaller_the_step(pull, weight, stated):
    closed = np.array([alternation.equilibrium(pull, ref, weight) for ref in REFS])
    coarse, fine = (alternation.alternate(pull, REFS, weight, rate, int(30 / rate))[-1] for rate in (0.04, 0.02))
    if pull == "forward":
        np.testing.assert_allclose(fine, closed, atol=1e-9)
    else:
        np.testing.assert_allclose((fine - closed) / (coarse - closed), 0.5, atol=0.05)
        np.testing.assert_allclose(2 * fine - coarse, closed, atol=1e-4)


def test_descent_ends_within_1e_4_of_every_closed_form_and_near_what_is_published():
    table = exact_table()
    assert (table["descended"] - table["exact"]).abs().max() < 1e-4
    assert ((table["exact"] - table["published"]).abs() / table["published"]).max() < 0.03
    assert set(table.loc[table["part"] == "B", "descended"].notna()) == {True}
    assert len(exact_cells(table)) == table["published"].notna().sum() > 10


def test_read_half_way_the_bias_at_step_0_02_is_below_half_a_half_step():
    path = alternation.alternate("approximate", np.array([1e-2]), 1.0, 0.02, 1500)
    assert path[-1, 0] == pytest.approx(path[-2, 0], abs=1e-9)
    assert 1e-4 < 0.2395 - path[-1, 0] < 0.0015


def test_the_forward_anchors_optimum_is_the_replay_mixture():
    closed = optima.forward_optimum(NEW, REF, 1 / 3)
    np.testing.assert_allclose(closed, (0.225, 0.025, 0.750), atol=5e-5)
    assert optima.replay_share(1 / 3) == pytest.approx(0.25)
    np.testing.assert_allclose(closed, optima.mixture(NEW, REF, 0.25), atol=1e-15)
    descended = descend(lambda pi: optima.forward_anchored(pi, NEW, REF, 1 / 3), REF, 1.0, 2000)
    np.testing.assert_allclose(descended, closed, atol=1e-4)


def test_gradients_on_the_way():
    reverse, forward = reverse_gradient(HALFWAY, REF)[2], cross_entropy_gradient(HALFWAY, REF)[2]
    assert reverse == pytest.approx(2.291, abs=5e-4)
    assert forward == pytest.approx(0.4999, abs=1e-12)
    assert reverse / forward == pytest.approx(4.58, abs=5e-3)


@pytest.mark.parametrize(("ref", "share"), list(zip(REFS, (0.73, 0.86, 0.91), strict=True)))
def test_with_one_new_token_the_reverse_anchor_is_a_replay_whose_share_depends_on_it(ref, share):
    old = np.array([0.9 * (1 - ref), 0.1 * (1 - ref), ref])
    found, distance = optima.nearest_mixture(optima.reverse_optimum(NEW, old, 1.0), NEW, old)
    assert found == pytest.approx(share, abs=5e-3)
    assert distance < 1e-12


def test_with_two_new_tokens_it_is_none_unless_they_were_equally_known():
    new = np.array([0.0, 0.0, 0.5, 0.5])
    unlike, alike = np.array([0.9, 0.098999, 1e-3, 1e-6]), np.array([0.9, 0.098, 1e-3, 1e-3])
    distances = [optima.nearest_mixture(optima.reverse_optimum(new, ref, 1.0), new, ref)[1] for ref in (unlike, alike)]
    assert distances[0] == pytest.approx(0.0286, abs=5e-5)
    assert distances[1] < 1e-9


def test_nearest_mixture_is_nearer_than_any_tried():
    pi, new = np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.0, 0.9])
    share, distance = optima.nearest_mixture(pi, new, REF)
    tried = [0.5 * np.abs(pi - optima.mixture(new, REF, s)).sum() for s in np.linspace(0, 1, 1001)]
    assert 0 < share < 1
    assert distance <= min(tried)
    assert distance == pytest.approx(min(tried), abs=1e-3)


@pytest.mark.parametrize("kind", ["replay", "stratified replay", "anchor"])
@pytest.mark.parametrize("batch", [4, 64])
def test_estimators_have_one_mean_and_their_own_variance(kind, batch):
    new, weight, rng = np.array([0.05, 0.05, 0.9]), 1 / 3, np.random.default_rng(0)
    drawn = noise.estimates(kind, rng, HALFWAY, new, REF, weight, batch, 20_000)
    goal = optima.forward_anchored(HALFWAY, new, REF, weight)
    np.testing.assert_allclose(drawn.mean(0), goal, atol=4 * drawn.std(0).max() / np.sqrt(20_000))
    assert drawn.var(0).sum() == pytest.approx(noise.variance(kind, new, REF, weight) / batch, rel=0.04)


@given(LOGITS, LOGITS, st.floats(0.05, 5))
def test_replay_is_noisier_than_the_anchor_and_least_so_when_stratified(new, ref, weight):
    new, ref = softmax(new), softmax(ref)
    mixed, stratified, anchor = (noise.variance(k, new, ref, weight) for k in ("replay", "stratified replay", "anchor"))
    assert mixed >= stratified - 1e-12
    assert stratified >= (1 + weight) * anchor


def test_old_examples_of_a_batch_are_whole():
    with pytest.raises(ValueError, match=r"cannot hold 1\.5 old examples"):
        noise.estimates("stratified replay", np.random.default_rng(0), HALFWAY, NEW, REF, 1 / 3, 6, 1)


@pytest.mark.parametrize("examples", [1, 10, 1000])
def test_replay_of_true_data_nears_the_truth_where_the_anchor_copies_the_mistake(examples):
    ends = noise.replayed_optimum(np.random.default_rng(1), NEW, REF, 1 / 3, examples, 20_000)
    away = noise.distance_from_truth(ends, NEW, REF, 1 / 3).mean()
    assert away == pytest.approx(noise.expected_distance(REF, 1 / 3, examples), rel=0.04)
    mistaken = optima.forward_optimum(NEW, REF[[1, 0, 2]], 1 / 3)
    assert away < 0.25 * noise.distance_from_truth(mistaken, NEW, REF, 1 / 3)


@pytest.mark.parametrize("method", simplex.METHODS)
def test_ways_start_at_the_base_stay_on_the_simplex_and_arrive(method):
    way = simplex.way(method)
    require_distribution(way)
    np.testing.assert_allclose(way[0], simplex.BASE, atol=1e-12)
    assert way[-1] @ simplex.RIGHT == pytest.approx(0.95, abs=1e-9)
    assert np.all(np.diff(way @ simplex.RIGHT) > 0)


def test_policy_gradient_is_the_gradient_of_the_reward():
    z = np.log(simplex.BASE)
    np.testing.assert_allclose(simplex.policy_gradient(simplex.BASE), slope(lambda p: p @ simplex.RIGHT, z), atol=1e-9)


@pytest.mark.parametrize("way", ["forward", "reverse"])
def test_the_nearest_point_as_right_is_the_base_renormalised_for_both_kls(way):
    def distance(share):
        pi = np.array([0.95 * share[0], 0.95 * (1 - share[0]), 0.05])
        return float(kl(simplex.BASE, pi) if way == "forward" else kl(pi, simplex.BASE))

    found = minimize(distance, [0.5], bounds=[(0.01, 0.99)], tol=1e-14)
    assert 0.95 * found.x[0] == pytest.approx(simplex.NEAREST[0], abs=1e-5)


def test_no_way_arrives_nearer_than_the_nearest_and_one_label_is_the_farthest():
    frame = simplex.picture(20)
    arrival = frame[frame["kind"] == "arrival"].set_index("method")
    nearest = frame[frame["kind"] == "nearest"].iloc[0]
    for way in ("forward", "reverse"):
        assert (arrival[way] > nearest[way]).all()
        assert list(arrival[way].sort_values().index) == ["sft_oracle", "policy_gradient", "sft_2", "sft_1"]
    assert len(frame[frame["kind"] == "field"]) == 21 * 22 // 2


def test_frames_are_tidy_and_finite(result):
    assert np.isfinite(result.curves[["x", "value", "low", "high"]]).all(axis=None)
    assert not result.curves.duplicated(["quantity", "source", "parameters", "x"]).any()
    assert not result.checks.duplicated(["claim", "quantity", "parameters", "role"]).any()
    assert np.isfinite(result.checks[["predicted", "measured", "low", "high"]]).all(axis=None)


def test_verdicts(result):
    table = verdicts(result.checks, [*(f"A{i}" for i in range(1, 9)), "A13"]).set_index("id")
    assert (table.loc[[f"A{i}" for i in range(1, 9)], "verdict"] == "reproduced").all()
    assert table.loc["A13", "verdict"] == "partly"


def test_only_the_simulated_part_depends_on_the_seed(result):
    pd.testing.assert_frame_equal(run(0).checks, result.checks, check_exact=True)
    other = run(1).checks
    changed = other["measured"] != result.checks["measured"]
    assert set(other.loc[changed, "claim"]) == {"A8"}


def test_impossible_references_are_refused():
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        alternation.equilibrium("reverse", 0.0)
    with pytest.raises(ValueError, match="must be positive"):
        optima.reverse_optimum(NEW, np.array([0.5, 0.5, 0.0]), 1.0)
    with pytest.raises(ValueError, match="sum to 1"):
        optima.forward_optimum(np.array([0.5, 0.6]), np.array([0.5, 0.5]), 1.0)

"""Part C: replay is a noisier estimate than the anchor, but not of the old model's mistakes (A8)."""

from typing import Any

import numpy as np

from forgetting.anchors import noise
from forgetting.anchors.experiments.optima import NEW, OLD, ON_THE_WAY, WEIGHT
from forgetting.anchors.optima import forward_anchored, forward_optimum
from forgetting.results import Array, Check, Estimate, Rows, check, curve, over_seeds

NOISY = np.array([0.05, 0.05, 0.9])  # new data that are not all alike: with NEW the anchor has no noise at all
WRONG = OLD[[1, 0, 2]]  # a reference that believes the wrong answer
BATCHES, EXAMPLES = (4, 8, 16, 32, 64, 128, 256), (1, 3, 10, 30, 100, 300, 1000)
KINDS: tuple[noise.Estimator, ...] = ("replay", "stratified replay", "anchor")


def gradient_noise(generator: np.random.Generator, draws: int) -> Rows:
    """Variance of each gradient estimate by batch size, at one expected gradient, and its ratio to the anchor's."""
    goal = forward_anchored(ON_THE_WAY, NOISY, OLD, WEIGHT)
    curves, checks, single = [], [], {}
    for kind in KINDS:
        samples = [noise.estimates(kind, generator, ON_THE_WAY, NOISY, OLD, WEIGHT, batch, draws) for batch in BATCHES]
        found = [over_seeds(((g - goal) ** 2).sum(1)) for g in samples]
        single[kind] = _scaled(found[0], BATCHES[0])
        exactly = noise.variance(kind, NOISY, OLD, WEIGHT)
        values, errors = _columns(found)
        curves.append(curve("variance", "predicted", BATCHES, exactly / np.array(BATCHES), estimator=kind))
        curves.append(curve("variance", "simulated", BATCHES, values, errors, estimator=kind))
        checks += _unbiased(kind, goal, samples[0])
        checks.append(check("A8", "variance a sample", exactly, single[kind], "3 SE", role="beside", estimator=kind))
    for kind in KINDS[:2]:
        ratio = _ratio(single[kind], single["anchor"])
        checks.append(check("A8", "variance over the anchor's", 1, ratio, "above", role="headline", estimator=kind))
    return curves, checks


def wrong_belief(generator: np.random.Generator, draws: int) -> Rows:
    """How far from the truth the anchor of a mistaken reference ends, and replay of a few true old examples."""
    copied = float(noise.distance_from_truth(forward_optimum(NEW, WRONG, WEIGHT), NEW, OLD, WEIGHT))
    found, checks = [], []
    for n in EXAMPLES:
        ends = noise.replayed_optimum(generator, NEW, OLD, WEIGHT, n, draws)
        away = noise.distance_from_truth(ends, NEW, OLD, WEIGHT)
        found.append(over_seeds(away))
        nearer = over_seeds(copied - away)
        checks.append(check("A8", "replay ends nearer the truth by", 0, nearer, "above", examples=n))
    line, (values, errors) = [noise.expected_distance(OLD, WEIGHT, n) for n in EXAMPLES], _columns(found)
    name = "distance from truth"
    return [
        curve(name, "predicted", EXAMPLES, line, learner="replay"),
        curve(name, "simulated", EXAMPLES, values, errors, learner="replay"),
        curve(name, "computed", EXAMPLES, [copied] * len(EXAMPLES), learner="anchor, mistaken"),
    ], checks


def _unbiased(kind: noise.Estimator, goal: Array, gradients: Array) -> list[Check]:
    """The mean of the estimates against the gradient, one row an answer."""
    where: dict[str, Any] = {"estimator": kind}
    means = [over_seeds(column) for column in gradients.T]
    return [check("A8", "mean gradient", goal[k], e, "3 SE", answer=k + 1, **where) for k, e in enumerate(means)]


def _columns(found: list[Estimate]) -> tuple[Array, Array]:
    """Values and standard errors."""
    return np.array([e.value for e in found]), np.array([e.standard_error for e in found])


def _scaled(e: Estimate, factor: float) -> Estimate:
    """The estimate times a known factor."""
    return Estimate(e.value * factor, e.standard_error * factor, e.n)


def _ratio(a: Estimate, b: Estimate) -> Estimate:
    """Ratio of independent estimates, its error by first-order propagation."""
    value = a.value / b.value
    return Estimate(value, value * float(np.hypot(a.standard_error / a.value, b.standard_error / b.value)), a.n)

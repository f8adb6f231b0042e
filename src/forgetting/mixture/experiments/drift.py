"""Leakage and the old mean's drift are gated by overlap, e^{−δ²/8} (claims M2 and M6)."""

from typing import Any

import numpy as np

from forgetting.mixture import leakage, reverse
from forgetting.mixture.densities import Array, logit
from forgetting.mixture.quadrature import slope
from forgetting.mixture.simulations import means
from forgetting.mixture.simulations.descent import sgd
from forgetting.results import (
    Result,
    Rows,
    check,
    curve,
    exact,
    over_seeds,
    result,
    slope_over_seeds,
)
from forgetting.seeds import numpy_generator as stream

LEAKS = np.arange(4.0, 10.1, 1.0)
DRIFTS = np.array([3.0, 4.0, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0])
ALPHA, B0, GRADIENT_B = 0.5, 0.8, 0.7
FAR = DRIFTS >= 5.5


def run(seed: int, draws: int = 200_000, seeds: int = 40, batch: int = 64, horizon: int = 12) -> Result:
    """Importance-sampled leakage and gradients (`draws` a separation), SGD's largest drift to `horizon`."""
    curves, checks = _leaks(seed, draws)
    for more_curves, more_checks in (_drifts(seed, seeds, batch, horizon), _gradients(seed, draws)):
        curves, checks = curves + more_curves, checks + more_checks
    return result("drift", curves, checks)


def _midway(rng: np.random.Generator, delta: float, draws: int) -> tuple[Array, Array]:
    """Samples of N(δ/2, 1), where the overlap is, and their weights for an expectation under N(0, 1)."""
    x = delta / 2 + rng.standard_normal(draws)
    return x, np.exp(delta * (delta / 4 - x) / 2)


def _leaks(seed: int, draws: int) -> Rows:
    """ε(½) by importance sampling; slope of ln(εδ) on δ²."""
    rng, found = stream("mixture", seed, "drift", "leakage"), []
    for d in LEAKS:
        x, w = _midway(rng, d, draws)
        found.append(over_seeds(w / (1 + np.exp(d * (d / 2 - x)))))
    value = np.array([e.value for e in found])
    error = np.array([e.standard_error for e in found])
    exact_leak = leakage.leakage(0.5, LEAKS)
    where: dict[str, Any] = {"weight": 0.5}
    curves = [
        curve("leakage", "simulated", LEAKS**2, value, error, **where),
        curve("leakage", "predicted", LEAKS**2, exact_leak, **where),
        curve("leakage", "bound", LEAKS**2, leakage.bound(0.5, LEAKS), **where),
    ]
    measured = slope_over_seeds(LEAKS**2, np.log(value * LEAKS), error / value, draws)
    checks = [
        check(
            "M2",
            "slope of ln(eps delta) on delta^2, delta 4-10",
            -0.125,
            measured,
            "meets",
            tolerance=0.005,
            role="headline",
        ),
        check(
            "M2",
            "the same slope by quadrature",
            -0.1233,
            exact(slope(LEAKS**2, np.log(exact_leak * LEAKS)), 7),
            "inside",
            tolerance=0.0001,
            role="beside",
        ),
        *(
            check("M2", "leakage", p, e, "3 SE", role="beside", delta=d)
            for d, p, e in zip(LEAKS, exact_leak, found, strict=True)
        ),
    ]
    return curves, checks


def _peaks(seed: int, seeds: int, batch: int, horizon: int) -> Array:
    """Each seed's drift under SGD (learning rate 0.05) when the mean over seeds is largest; (δ, seeds)."""
    start = np.zeros((3, len(DRIFTS), seeds))
    start[0], start[2] = logit(B0), DRIFTS[:, None]
    goal = np.stack([reverse.target(ALPHA, d) for d in DRIFTS], axis=1)[:, :, None]
    record = np.arange(10, int(horizon / 0.05) + 1, 10)
    path = sgd(means.own(stream("mixture", seed, "drift", "flow"), batch, goal, middle=0.5), start, 0.05, record)[:, 1]
    peak = np.abs(path.mean(-1)).argmax(0)
    there = np.take_along_axis(path, peak[None, :, None], 0)[0]
    return np.asarray(there * np.sign(there.mean(-1, keepdims=True)))


def _drifts(seed: int, seeds: int, batch: int, horizon: int) -> Rows:
    """Largest drift of the old mean under SGD, and its slope in δ², against the exact flow's."""
    at_peak = _peaks(seed, seeds, batch, horizon)
    found = [over_seeds(values) for values in at_peak]
    value = np.array([e.value for e in found])
    error = np.array([e.standard_error for e in found])
    times = np.linspace(0, 60, 1201)
    flows = [reverse.flow(times, np.array([logit(B0), 0.0, d]), ALPHA, d)[1] for d in DRIFTS]
    flow = np.array([np.abs(m).max() for m in flows])
    steady = slope(DRIFTS[FAR] ** 2, np.log(flow[FAR]))
    measured = slope_over_seeds(DRIFTS[FAR] ** 2, np.log(value[FAR]), (error / value)[FAR], seeds)
    curves = [
        curve("largest drift", "simulated", DRIFTS**2, value, error, alpha=ALPHA, b0=B0),
        curve("largest drift", "flow", DRIFTS**2, flow, alpha=ALPHA, b0=B0),
    ]
    checks = [
        check(
            "M6",
            "slope of ln(largest drift) on delta^2, SGD",
            -0.125,
            measured,
            "meets",
            tolerance=0.005,
            role="headline",
        ),
        check(
            "M6",
            "the same slope of the exact flow",
            -0.125,
            exact(steady, int(FAR.sum())),
            "meets",
            tolerance=0.005,
        ),
        check(
            "M6",
            "drift left at t = 60 over the largest, delta 4",
            0.0,
            abs(flows[1][-1]) / flow[1],
            "inside",
            tolerance=0.001,
            role="beside",
        ),
        *(
            check("M6", "largest drift", f, e, "inside", tolerance=0.05 * f, role="beside", delta=d)
            for d, f, e in zip(DRIFTS, flow, found, strict=True)
        ),
    ]
    return curves, checks


def _gradients(seed: int, draws: int) -> Rows:
    """∇_{m_o}L at m_o = μ_o, m_n = μ_n, from samples; with its bound and sharp form."""
    rng, found = stream("mixture", seed, "drift", "gradient"), []
    for d in DRIFTS:
        x, w = _midway(rng, d, draws)
        old = 1 / (1 + np.exp(d * (x - d / 2) - logit(np.array([[GRADIENT_B], [ALPHA]]))))
        found.append(over_seeds(np.abs(GRADIENT_B * d * w * (old[1] - old[0]))))
    value = np.array([e.value for e in found])
    exact_norm = np.array([abs(reverse.old_mean_gradient(GRADIENT_B, d, ALPHA, d)) for d in DRIFTS])
    bound = np.array([reverse.old_mean_bound(GRADIENT_B, d, ALPHA, d) for d in DRIFTS])
    sharp = np.array([reverse.old_mean_sharp(GRADIENT_B, ALPHA, d) for d in DRIFTS])
    where: dict[str, Any] = {"alpha": ALPHA, "beta": GRADIENT_B}
    errors = np.array([e.standard_error for e in found])
    curves = [
        curve("old mean's gradient", "simulated", DRIFTS**2, value, errors, **where),
        curve("old mean's gradient", "predicted", DRIFTS**2, exact_norm, **where),
        curve("old mean's gradient", "bound", DRIFTS**2, bound, **where),
        curve("old mean's gradient", "predicted", DRIFTS**2, sharp, form="sharp", **where),
    ]
    checks = [
        check("M6", "old mean's gradient", p, e, "3 SE", role="beside", delta=d)
        for d, p, e in zip(DRIFTS, exact_norm, found, strict=True)
    ]
    checks += [
        check("M6", "old mean's gradient under its bound", b, e, "below", role="beside", delta=d)
        for d, b, e in zip(DRIFTS, bound, found, strict=True)
    ]
    return curves, checks

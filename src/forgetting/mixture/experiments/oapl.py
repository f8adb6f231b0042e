"""OAPL: a fit re-weights what its reference has, re-synchronising compounds it, updates are local (M11)."""

import numpy as np

from forgetting.mixture import oapl
from forgetting.mixture.densities import Array, expit, logit
from forgetting.mixture.quadrature import slope
from forgetting.mixture.simulations.descent import sgd
from forgetting.mixture.simulations.groups import judge, regression
from forgetting.results import (
    Check,
    Result,
    Rows,
    check,
    curve,
    exact,
    far_separations,
    over_seeds,
    result,
    seed_curve,
    slope_over_seeds,
)
from forgetting.seeds import numpy_generator as stream

GAP, TEMPERATURE, SEPARATED = 0.5, 1.0, 8.0
REFERENCES = np.array([0.5, 0.2, 0.05])


def run(
    seed: int,
    seeds: int = 16,
    group: int = 1024,
    steps: int = 200,
    draws: int = 100_000,
    drift_horizon: int = 100,
    drift_points: int = 6,
) -> Result:
    """Fits of `steps` steps on groups of `group`; gradients from `draws` samples; drift along the flow."""
    deltas = far_separations(drift_points)
    curves, checks = _syncs(seed, seeds, group, steps)
    for more_curves, more_checks in (_gradients(seed, draws, deltas), _drifts(drift_horizon, deltas)):
        curves, checks = curves + more_curves, checks + more_checks
    return result("oapl", curves, checks + _fits(seed, seeds, group, steps))


def _fit(rng: np.random.Generator, reference: Array, group: int, steps: int) -> Array:
    """β after one fit from the reference weights (cases, seeds), averaged over its last quarter."""
    with np.errstate(divide="ignore"):
        start = logit(reference)
    estimate = regression(rng, group, SEPARATED, GAP * TEMPERATURE, TEMPERATURE, reference)
    return np.asarray(expit(sgd(estimate, start, 0.5, range(steps * 3 // 4, steps + 1)).mean(0)))


def _fits(seed: int, seeds: int, group: int, steps: int) -> list[Check]:
    reference = np.repeat(np.append(REFERENCES, 0.0)[:, None], seeds, axis=1)
    final = _fit(stream("mixture", seed, "oapl", "fit"), reference, group, 2 * steps)
    rows = []
    for b0, values in zip(reference[:, 0], final, strict=True):
        predicted = oapl.fitted_weight(float(b0), GAP)
        rows.append(
            check(
                "M11",
                "beta after one fit",
                predicted,
                over_seeds(values),
                "inside",
                tolerance=0.01 * predicted,
                role="headline" if b0 == 0.5 else "measure",
                b0=b0,
            )
        )
    return rows


def _syncs(seed: int, seeds: int, group: int, steps: int, syncs: int = 5) -> Rows:
    """A reference replaced by each fit, beside one that is kept."""
    rng = stream("mixture", seed, "oapl", "syncs")
    lagged = [np.full((1, seeds), 0.5)]
    frozen = [lagged[0]]
    for _ in range(syncs):
        lagged.append(_fit(rng, lagged[-1], group, steps))
        frozen.append(_fit(rng, frozen[0], group, steps))
    path = np.concatenate(lagged)
    at, predicted = np.arange(syncs + 1), np.append(0.5, oapl.resynced_weights(0.5, GAP, syncs))
    curves = [
        seed_curve("beta", at, path, reference="lagged"),
        curve("beta", "predicted", at, predicted, reference="lagged"),
        seed_curve("beta", at, np.concatenate(frozen), reference="frozen"),
        curve("beta", "predicted", at, np.append(0.5, np.full(syncs, predicted[1])), reference="frozen"),
    ]
    factor = np.diff(logit(path), axis=0).mean(0)
    checks = [
        check(
            "M11",
            "odds multiplied at each re-sync",
            np.exp(-GAP),
            over_seeds(np.exp(factor)),
            "inside",
            tolerance=0.01 * np.exp(-GAP),
        ),
        check(
            "M11",
            "beta after five fits to a frozen reference",
            predicted[1],
            over_seeds(frozen[-1][0]),
            "inside",
            tolerance=0.01 * predicted[1],
            role="beside",
        ),
    ]
    return curves, checks


def _gradients(seed: int, draws: int, deltas: Array) -> Rows:
    """∇_{m_o}L at the reference in score form, −2τβ₀E_{p_o}[R(x)(x−μ_o)], from samples drawn midway."""
    rng, found = stream("mixture", seed, "oapl", "gradient"), []
    for d in deltas:
        x = d / 2 + rng.standard_normal(draws)
        reward = GAP * TEMPERATURE * judge(x, d)
        found.append(over_seeds(2 * TEMPERATURE * 0.5 * reward * x * np.exp(d * (d / 4 - x) / 2)))
    value, error = np.array([(e.value, e.standard_error) for e in found]).T
    predicted = np.array([-oapl.old_mean_gradient(0.5, GAP * TEMPERATURE, TEMPERATURE, d) for d in deltas])
    curves = [
        curve("old mean's gradient", "simulated", deltas**2, value, error, b0=0.5),
        curve("old mean's gradient", "predicted", deltas**2, predicted, b0=0.5),
    ]
    fitted = slope_over_seeds(deltas**2, np.log(value), error / value, draws)
    checks = [check("M11", "slope of ln|old mean's gradient| on delta^2", -0.125, fitted, "inside", tolerance=0.01)]
    checks += [
        check("M11", "old mean's gradient at the reference", p, e, "3 SE", role="beside", delta=d)
        for d, p, e in zip(deltas, predicted, found, strict=True)
    ]
    return curves, checks


def _drifts(horizon: int, deltas: Array) -> Rows:
    times = np.linspace(0, horizon, 10 * horizon + 1)
    largest = np.array([np.abs(oapl.flow(times, 0.5, GAP * TEMPERATURE, TEMPERATURE, d)[1]).max() for d in deltas])
    fitted = exact(slope(deltas**2, np.log(largest)), len(deltas))
    return [curve("largest drift", "flow", deltas**2, largest, b0=0.5)], [
        check("M11", "slope of ln(largest drift) on delta^2", -0.125, fitted, "inside", tolerance=0.01, b0=0.5)
    ]

"""TTT-Discover: without an anchor β falls like 1/t, with one it rests at a root; λ_c(b) parts them (M10)."""

import numpy as np

from forgetting.mixture import ttt
from forgetting.mixture.densities import Array, expit, logit
from forgetting.mixture.quadrature import slope
from forgetting.mixture.simulations.descent import sgd
from forgetting.mixture.simulations.groups import entropic
from forgetting.results import (
    Check,
    Estimate,
    Result,
    Rows,
    check,
    curve,
    exact,
    far_separations,
    over_seeds,
    result,
    seed_curve,
)
from forgetting.seeds import numpy_generator as stream

ANCHORS = np.array([0.0, 0.3, 0.5, 1.0, 2.0])
B0, ETA, SEPARATED = 0.5, 20.0, 8.0


def run(
    seed: int,
    seeds: int = 20,
    group: int = 64,
    learning_rate: float = 0.2,
    steps: int = 4000,
    drift_horizon: int = 100,
    drift_points: int = 6,
) -> Result:
    """Groups of `group` for `steps`, resting weights averaged over the second half; drift along the flow."""
    rho = ttt.odds(ETA, SEPARATED)
    curves, checks = _paths(seed, seeds, group, learning_rate, steps, rho)
    for more_curves, more_checks in (
        _thresholds(seed, seeds, group, learning_rate, steps, rho),
        _drifts(drift_horizon, far_separations(drift_points)),
    ):
        curves, checks = curves + more_curves, checks + more_checks
    return result("ttt", curves, checks + _tilts(seed))


def _paths(seed: int, seeds: int, group: int, lr: float, steps: int, rho: float) -> Rows:
    drawn = np.geomspace(5, steps, 25).round().astype(int)
    record = np.union1d(drawn, np.linspace(steps // 2, steps, 41).astype(int))
    estimate = entropic(stream("mixture", seed, "ttt"), group, SEPARATED, ETA, ANCHORS, 0.0)
    path, times = expit(sgd(estimate, np.zeros((len(ANCHORS), seeds)), lr, record)), record * lr
    late, curves, checks = record >= steps // 2, [], []
    shown = np.isin(record, drawn)
    for i, anchor in enumerate(ANCHORS):
        curves.append(seed_curve("beta", times[shown], path[shown, i], lambda_=anchor))
        curves.append(curve("beta", "flow", times, ttt.weight(times, B0, rho, anchor), lambda_=anchor))
        if anchor == 0:
            collapse = over_seeds(path[-1, i] * times[-1] * (1 - rho))
            checks.append(
                check(
                    "M10",
                    "t (1-rho) beta(t) without an anchor",
                    1.0,
                    collapse,
                    "inside",
                    tolerance=0.05,
                    lambda_=0,
                )
            )
        else:
            root = ttt.resting_weight(B0, rho, anchor)
            found = over_seeds(path[late, i].mean(0))
            checks.append(
                check(
                    "M10",
                    "resting beta",
                    root,
                    found,
                    "inside",
                    tolerance=0.03 * root,
                    role="beside",
                    lambda_=anchor,
                )
            )
    return curves, checks


def _thresholds(seed: int, seeds: int, group: int, lr: float, steps: int, rho: float) -> Rows:
    """λ at which each seed's resting β passes b, interpolated between five anchors around the prediction."""
    curves, checks = [], []
    for b in (0.25, 0.05):
        predicted = ttt.critical_anchor(b, B0, rho)
        anchors = predicted * np.array([0.8, 0.9, 1.0, 1.1, 1.2])
        estimate = entropic(stream("mixture", seed, "ttt", "threshold", str(b)), group, SEPARATED, ETA, anchors, 0.0)
        start = np.full((len(anchors), seeds), logit(b))
        rest = sgd(estimate, start, lr, np.linspace(steps // 2, steps, 41).astype(int)).mean(0)
        curves.append(seed_curve("resting beta", anchors / predicted, expit(rest), retained=b))
        exact_rest = np.array([ttt.resting_weight(B0, rho, a) for a in anchors])
        curves.append(curve("resting beta", "predicted", anchors / predicted, exact_rest, retained=b))
        crossing = np.array([np.interp(logit(b), r, anchors / predicted) for r in np.sort(rest, axis=0).T])
        checks.append(
            check(
                "M10",
                "threshold lambda_c(b), measured over predicted",
                1.0,
                over_seeds(crossing),
                "meets",
                tolerance=0.02,
                role="headline",
                b=b,
                lambda_c=round(predicted, 4),
            )
        )
    return curves, checks


def _tilts(seed: int) -> list[Check]:
    """The adaptive η asks reward weights for a KL of ln 2 from uniform: feasible only while β ≥ ½."""
    rng, n, rows = stream("mixture", seed, "ttt", "tilt"), 100_000, []
    for beta, rule in ((0.4, "below"), (0.6, "above")):
        new = float((rng.random(n) >= beta).mean())
        best = Estimate(-np.log(new), np.sqrt((1 - new) / (new * n)), n)
        rows.append(
            check(
                "M10",
                "largest KL that reward weights reach, against ln 2",
                np.log(2),
                best,
                rule,  # type: ignore[arg-type]
                role="beside",
                beta=beta,
            )
        )
        rows.append(
            check(
                "M10",
                "largest KL that reward weights reach",
                ttt.sharpest_tilt(beta),
                best,
                "3 SE",
                role="beside",
                beta=beta,
            )
        )
    return rows


def _drifts(horizon: int, deltas: Array) -> Rows:
    times, curves, checks = np.linspace(0, horizon, 10 * horizon + 1), [], []
    for anchor in (1.0, 0.0):
        largest = np.array([np.abs(ttt.flow(times, B0, 1.0, anchor, d)[1]).max() for d in deltas])
        curves.append(curve("largest drift", "flow", deltas**2, largest, lambda_=anchor))
        fitted = exact(slope(deltas**2, np.log(largest)), len(deltas))
        checks.append(
            check(
                "M10",
                "slope of ln(largest drift) on delta^2",
                -0.125,
                fitted,
                "inside",
                tolerance=0.005,
                role="beside",
                lambda_=anchor,
            )
        )
    return curves, checks

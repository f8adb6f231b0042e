"""Near the optimum reverse KL converges exponentially, at twice Fisher's smallest eigenvalue (claim M7)."""

from typing import Any

import numpy as np
import pandas as pd

from forgetting.mixture import reverse
from forgetting.mixture.densities import Array, logit
from forgetting.mixture.quadrature import coarse_line, slope
from forgetting.mixture.simulations import means
from forgetting.mixture.simulations.descent import sgd
from forgetting.results import Check, Estimate, Result, check, curve, exact, result
from forgetting.seeds import numpy_generator as stream

CASES = ((0.5, 4.0), (0.5, 6.0), (0.2, 4.0), (0.2, 6.0))
DELTAS = np.arange(3.0, 10.01, 0.5)


def run(seed: int, seeds: int = 24, batch: int = 256, learning_rate: float = 0.05) -> Result:
    """Decay of ln L along the exact flow and under SGD on own samples; λ_min against its lower bound."""
    curves: list[pd.DataFrame] = []
    checks: list[Check] = []
    for alpha, delta in CASES:
        rate = 2 * reverse.smallest_eigenvalue(alpha, delta)
        more_curves, row = _flow(alpha, delta, rate)
        drawn, simulated = _sgd(seed, seeds, batch, learning_rate, alpha, delta, rate)
        curves += [*more_curves, drawn]
        checks += [row, simulated]
    for alpha in (0.5, 0.2):
        for dimension in (1, 10):
            least = np.array([reverse.smallest_eigenvalue(alpha, d, dimension) for d in DELTAS])
            bound = np.array([reverse.smallest_eigenvalue_bound(alpha, d, dimension) for d in DELTAS])
            where: dict[str, Any] = {"alpha": alpha, "d": dimension}
            curves.append(curve("lambda_min", "predicted", DELTAS, least, **where))
            curves.append(curve("lambda_min", "bound", DELTAS, bound, **where))
            gap = exact(float((least - bound).min()), len(DELTAS))
            checks.append(
                check(
                    "M7",
                    "lambda_min less its bound, least over delta",
                    0.0,
                    gap,
                    "above",
                    role="beside",
                    **where,
                )
            )
    return result("geometry", curves, checks)


def _losses(path: Array, alpha: float, delta: float) -> Array:
    """L of every θ in `path` (3, ...)."""
    goal, grid = reverse.target(alpha, delta), coarse_line(delta)
    flat = path.reshape(3, -1)
    return np.array([reverse.loss(theta, goal, grid) for theta in flat.T]).reshape(path.shape[1:])


def _window(rate: float) -> tuple[float, float]:
    """Times between which only the slowest direction is left and L is far above rounding."""
    return 6.0 / rate, 12.0 / rate


def _flow(alpha: float, delta: float, rate: float) -> tuple[list[pd.DataFrame], Check]:
    first, last = _window(rate)
    times = np.linspace(0, last, 61)
    path = reverse.flow(times, np.array([logit(alpha) + 0.5, 0.1, delta - 0.1]), alpha, delta)
    log_loss = np.log(_losses(path, alpha, delta))
    late = times >= first
    measured = -slope(times[late], log_loss[late])
    where: dict[str, Any] = {"alpha": alpha, "delta": delta}
    anchor = log_loss[-1] + rate * (last - times)
    curves = [
        curve("ln L", "flow", times, log_loss, **where),
        curve("ln L", "predicted", times, anchor, **where),
    ]
    return curves, check(
        "M7",
        "decay of ln L along the flow over 2 lambda_min",
        1.0,
        exact(measured / rate, int(late.sum())),
        "meets",
        tolerance=0.02,
        **where,
    )


def _sgd(
    seed: int, seeds: int, batch: int, lr: float, alpha: float, delta: float, rate: float
) -> tuple[pd.DataFrame, Check]:
    """Each seed's own decay; SGD's noise vanishes at the optimum with the loss, so it gets there exactly."""
    first, last = _window(rate)
    record = np.rint(np.linspace(0, last, 31) / lr).astype(int)
    start = np.repeat(np.array([logit(alpha) + 0.5, 0.1, delta - 0.1])[:, None, None], seeds, axis=2)
    goal = reverse.target(alpha, delta)[:, None, None]
    path = sgd(means.own(stream("mixture", seed, "geometry", f"{alpha} {delta}"), batch, goal), start, lr, record)
    log_loss = np.log(_losses(path[:, :, 0].transpose(1, 0, 2), alpha, delta))
    times = record * lr
    late = times >= first
    slopes = -np.polyfit(times[late], log_loss[late], 1)[0]
    discrete = -2 * np.log(1 - lr * rate / 2) / lr
    ratio = slopes / discrete
    measured = Estimate(float(ratio.mean()), float(ratio.std(ddof=1) / np.sqrt(seeds)), seeds)
    where: dict[str, Any] = {"alpha": alpha, "delta": delta}
    error = log_loss.std(axis=1, ddof=1) / np.sqrt(seeds)
    drawn = curve("ln L", "simulated", times, log_loss.mean(axis=1), error, **where)
    return drawn, check(
        "M7",
        "decay of ln L under SGD over 2 lambda_min at its step size",
        1.0,
        measured,
        "meets",
        tolerance=0.02,
        role="headline",
        **where,
    )

"""Reverse KL to p_α on own samples: β(t) from above and from below, and where it ends (claim M5)."""

from typing import Any

import numpy as np

from forgetting.mixture import forward, reverse
from forgetting.mixture.densities import Array, expit, logit
from forgetting.mixture.quadrature import coarse_line
from forgetting.mixture.simulations import weights
from forgetting.mixture.simulations.descent import sgd
from forgetting.results import Check, Result, check, curve, over_seeds, result, seed_curve
from forgetting.seeds import numpy_generator as stream

#        b₀    α    δ
CASES = np.array([[0.9, 0.3, 4], [0.02, 0.3, 4], [0.9, 0.1, 4], [0.9, 0.3, 2], [0.9, 0.5, 2]])
RATE = 0.1


def run(seed: int, seeds: int = 100, batch: int = 64, points: int = 25) -> Result:
    """SGD at learning rate 0.1 to t = 150 with the dense log-ratio reward; forward KL beside it."""
    b0, alpha, delta = CASES.T
    record = np.unique(np.geomspace(5, 150 / RATE, points).round()).astype(int)
    start = np.repeat(logit(b0)[:, None], seeds, axis=1)
    path = expit(sgd(weights.own(stream("mixture", seed, "reverse"), batch, delta, alpha), start, RATE, record))
    times, smooth = record * RATE, np.geomspace(0.5, 150, 80)
    curves, checks = [], []
    for i, case in enumerate(CASES):
        where: dict[str, Any] = dict(zip(("b0", "alpha", "delta"), case.tolist(), strict=True))
        flow = reverse.weight(smooth, *case)
        curves += [
            seed_curve("beta", times, path[:, i], **where),
            curve("beta", "flow", smooth, flow, **where),
        ]
        final = over_seeds(path[-1, i])
        checks.append(check("M5", "final beta", case[1], final, "meets", tolerance=0.005, role="headline", **where))
        at = int(np.searchsorted(record, 100))
        expected = _recursion(record[at], *case)
        checks.append(
            check(
                "M5",
                "beta(t) against full batches",
                expected,
                over_seeds(path[at, i]),
                "3 SE",
                role="beside",
                t=times[at],
                **where,
            )
        )
    for b in (0.9, 0.02):
        curves.append(curve("beta", "predicted", smooth, forward.weight(smooth, b, 4.0), forward_from=b, delta=4.0))
    checks += _returns(seed, seeds, batch)
    return result("reverse", curves, checks)


def _recursion(steps: int, b0: float, alpha: float, delta: float) -> float:
    """Full-batch descent at the simulation's learning rate."""
    theta, goal, grid = (np.array([logit(b0), 0.0, delta]), reverse.target(alpha, delta), coarse_line(delta))
    for _ in range(steps):
        theta[0] -= RATE * reverse.gradient(theta, goal, grid)[0]
    return float(expit(theta[0]))


def _returns(seed: int, seeds: int, batch: int) -> list[Check]:
    """A nearly lost mode returns slowly: time of the seeds' mean log odds to 0.9α, against ∫dφ/φ'."""
    starts: Array = np.array([0.1, 0.01])
    record = np.arange(0, 601)
    estimate = weights.own(stream("mixture", seed, "reverse", "returns"), 4 * batch, 6.0, np.full(2, 0.3))
    path = expit(sgd(estimate, np.repeat(logit(starts)[:, None], seeds // 4 + 2, axis=1), RATE, record)).mean(-1)
    rows = []
    for i, b0 in enumerate(starts):
        reached = float(np.interp(0.27, path[:, i], record * RATE))
        predicted = reverse.hitting_time(b0, 0.27, 0.3)
        rows.append(
            check(
                "M5",
                "time to 0.9 alpha",
                predicted,
                reached,
                "inside",
                tolerance=0.05 * predicted,
                role="beside",
                b0=b0,
                alpha=0.3,
            )
        )
    return rows

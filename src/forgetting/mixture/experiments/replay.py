"""Replay under forward KL: in the data it keeps β = λ, in the model it props it from outside (M3, M4)."""

from typing import Any

import numpy as np

from forgetting.mixture import replay
from forgetting.mixture.densities import Array, expit, logit
from forgetting.mixture.simulations import weights
from forgetting.mixture.simulations.descent import sgd
from forgetting.results import (
    Check,
    Estimate,
    Result,
    Rows,
    check,
    curve,
    over_seeds,
    result,
    seed_curve,
)
from forgetting.seeds import numpy_generator as stream

SHARES = np.array([0.05, 0.1, 0.2, 0.4, 0.6])
DELTAS = np.array([2.0, 4.0])


def run(seed: int, seeds: int = 50, batch: int = 64, horizon: int = 10_000, rate_seeds: int = 400) -> Result:
    """Replay in the data to t = 600, in the model to `horizon` with batches of 16, and the rate H."""
    share, delta = (v.ravel() for v in np.meshgrid(SHARES, DELTAS))
    curves, checks = _data(seed, seeds, batch, share, delta)
    more_curves, more_checks = _model(seed, seeds, horizon, share, delta)
    rates = [_rate(seed, rate_seeds, batch, d) for d in (2.0, 4.0, 6.0)]
    return result("replay", [*curves, *more_curves], [*checks, *more_checks, *rates])


def _data(seed: int, seeds: int, batch: int, share: Array, delta: Array) -> Rows:
    """β averaged over t = 400 to 600 (learning rate 0.2), against λ."""
    estimate = weights.data(stream("mixture", seed, "replay", "data"), batch, delta, share)
    path = sgd(estimate, np.zeros((len(share), seeds), np.float32), 0.2, np.arange(2000, 3001, 25))
    final = expit(path.astype(float)).mean(0)
    curves, checks = [], []
    for d in DELTAS:
        rows = delta == d
        curves.append(seed_curve("final beta", share[rows], final[rows], replay="data", delta=d))
    curves.append(curve("final beta", "predicted", [0.0, 0.65], [0.0, 0.65], replay="data"))
    for lam, d, values in zip(share, delta, final, strict=True):
        checks.append(
            check(
                "M4",
                "final beta, replay in the data",
                lam,
                over_seeds(values),
                "meets",
                tolerance=0.005,
                role="headline",
                delta=d,
                lambda_=lam,
            )
        )
    return curves, checks


def _model(seed: int, seeds: int, horizon: int, share: Array, delta: Array) -> Rows:
    """β and the effective mass λ + (1−λ)β at `horizon` (learning rate 1), against 0 and λ, and the flow."""
    estimate = weights.model(stream("mixture", seed, "replay", "model"), 16, delta, share)
    record = np.unique(np.geomspace(10, horizon, 12).round()).astype(int)
    beta = expit(sgd(estimate, np.zeros((len(share), seeds), np.float32), 1.0, record).astype(float))
    curves, checks = [curve("final beta", "predicted", [0.0, 0.65], [0.0, 0.0], replay="model")], []
    for d in DELTAS:
        rows = delta == d
        curves.append(seed_curve("final beta", share[rows], beta[-1, rows], replay="model", delta=d))
        mass = share[rows, None] + (1 - share[rows, None]) * beta[-1, rows]
        curves.append(seed_curve("effective mass", share[rows], mass, replay="model", delta=d))
    for i, (lam, d) in enumerate(zip(share, delta, strict=True)):
        where: dict[str, Any] = {"delta": d, "lambda_": lam}
        final = over_seeds(beta[-1, i])
        mass = over_seeds(lam + (1 - lam) * beta[-1, i])
        checks += [
            check("M3", f"beta({horizon}), replay in the model", 0.01, final, "below", role="headline", **where),
            check("M3", "effective mass", lam, mass, "inside", tolerance=0.005, **where),
        ]
        if lam in (0.05, 0.2):
            flow = replay.model_weight(record.astype(float), 0.5, lam, d)
            curves.append(curve("model beta", "flow", record, flow, **where))
            curves.append(seed_curve("model beta", record, beta[:, i], **where))
            checks.append(
                check(
                    "M3",
                    "beta, replay in the model",
                    flow[-1],
                    final,
                    "inside",
                    tolerance=0.03 * flow[-1],
                    role="beside",
                    **where,
                )
            )
    return curves, checks


def _rate(seed: int, seeds: int, batch: int, delta: float, share: float = 0.2) -> Check:
    """H from the closing of a gap: two starts either side of λ see the same samples, so the noise cancels."""
    lr, offset = 0.2, 0.2
    steps = round(1.0 / (lr * replay.data_rate(share, delta)))
    ends = [
        sgd(
            weights.data(stream("mixture", seed, "replay", "rate", str(delta)), batch, delta, share),
            np.full((1, seeds), logit(share) + side),
            lr,
            [steps],
        )[0, 0]
        for side in (offset, -offset)
    ]
    closing = over_seeds(-(np.log(ends[0] - ends[1]) - np.log(2 * offset)) / (lr * steps))
    predicted = -np.log(1 - lr * replay.data_rate(share, delta)) / lr
    measured = Estimate(closing.value, closing.standard_error, closing.n)
    return check(
        "M4",
        "rate H, replay in the data (per step of lr 0.2)",
        predicted,
        measured,
        "inside",
        tolerance=0.02 * predicted,
        role="beside",
        delta=delta,
        lambda_=share,
    )

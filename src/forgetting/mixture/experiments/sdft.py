"""SDFT: shown demonstrations, the old mass returns to α at a known rate; else errors stay (claim M9)."""

import numpy as np

from forgetting.mixture import sdft
from forgetting.mixture.densities import Array, expit, logit
from forgetting.mixture.quadrature import slope
from forgetting.mixture.simulations.descent import sgd
from forgetting.mixture.simulations.teachers import Average, distil
from forgetting.results import (
    Check,
    Result,
    Role,
    Rows,
    check,
    curve,
    exact,
    over_seeds,
    result,
    seed_curve,
)
from forgetting.seeds import numpy_generator as stream

ALPHA, PULL, B0, G0 = 0.3, 0.05, 0.5, 0.15
SHOWN = np.array([0.2, 0.05, 0.01, 0.0])  # λ, how fast demonstrations pull the teacher
SEPARATED = 8.0


def run(
    seed: int,
    seeds: int = 24,
    batch: int = 64,
    learning_rate: float = 0.2,
    horizon: int = 900,
    drift_horizon: int = 120,
    drift_points: int = 11,
) -> Result:
    """SGD to `horizon`; tilted demonstrations; the old mean's drift along the flow at `drift_points` δ."""
    curves, checks = _returns(seed, seeds, batch, learning_rate, horizon)
    checks += _tilted(seed, seeds, batch, learning_rate)
    more_curves, more_checks = _drifts(drift_horizon, np.linspace(3.0, 8.0, drift_points))
    return result("sdft", curves + more_curves, checks + more_checks)


def _returns(seed: int, seeds: int, batch: int, lr: float, horizon: int) -> Rows:
    """β(t) for each λ against the separated flow; late decay of each |β − α| against the eigenvalue."""
    rates = np.array([sdft.rate(ALPHA, PULL, s) for s in SHOWN])
    windows = [np.linspace(3.5, 7, 15) / r for r in rates[:-1]]
    drawn = np.unique(np.rint(np.geomspace(1, horizon, 25) / lr).astype(int))
    fitted = np.rint(np.concatenate(windows) / lr).astype(int)
    record = np.union1d(drawn, fitted[fitted <= drawn[-1]])
    shown_rows = np.isin(record, drawn)
    start = np.empty((2, len(SHOWN), seeds))
    start[0], start[1] = logit(B0), G0
    estimate = distil(stream("mixture", seed, "sdft"), batch, SEPARATED, ALPHA, PULL, SHOWN)
    path, times = expit(sgd(estimate, start, lr, record)[:, 0]), record * lr
    curves, checks = [], []
    for i, shown in enumerate(SHOWN):
        flow = sdft.weights(times, B0, G0, ALPHA, PULL, shown)[0]
        curves += [
            seed_curve("beta", times[shown_rows], path[shown_rows, i], lambda_=shown),
            curve("beta", "flow", times, flow, lambda_=shown),
        ]
        final = over_seeds(path[-1, i])
        if shown == 0:
            checks.append(
                check(
                    "M9",
                    "error kept without demonstrations, |beta - alpha|",
                    0.005,
                    over_seeds(np.abs(path[-1, i] - ALPHA)),
                    "above",
                    lambda_=0,
                )
            )
            checks.append(
                check("M9", "final beta", flow[-1], final, "inside", tolerance=0.01, role="beside", lambda_=0)
            )
            continue
        checks.append(
            check("M9", "final beta", ALPHA, final, "inside", tolerance=0.005, role="headline", lambda_=shown)
        )
        checks.append(_decay(times, path[:, i], lr, rates[i], shown))
        lowest = exact(float(flow.min() - sdft.floor(B0, G0, ALPHA)))
        checks.append(check("M9", "least beta less min(b0, g0, alpha)", 0.0, lowest, "above", lambda_=shown))
    return curves, checks


def _decay(times: Array, beta: Array, lr: float, rate: float, shown: float) -> Check:
    late = (times >= 3.4 / rate) & (times <= 7.1 / rate)
    error = np.log(np.abs(beta[late] - ALPHA))
    measured = over_seeds(-np.polyfit(times[late], error, 1)[0])
    predicted = -np.log(1 - lr * rate) / lr
    return check(
        "M9",
        "rate of return to alpha, at SGD's step size",
        predicted,
        measured,
        "inside",
        tolerance=0.02 * predicted,
        lambda_=shown,
    )


def _tilted(seed: int, seeds: int, batch: int, lr: float) -> list[Check]:
    """Where tilted demonstrations lead depends on how the teacher is averaged, not on the student's KL."""
    tilt, both = 0.5, 0.1
    predictions: dict[tuple[Average, bool], float] = {
        ("logit", False): sdft.tilted_weight(ALPHA, both, both, tilt),
        ("logit", True): sdft.tilted_weight(ALPHA, both, both, tilt),
        ("probability", False): sdft.tilted_weight_by_probability(ALPHA, both, both, tilt),
    }
    rows = []
    for (average, forward), predicted in predictions.items():
        start = np.full((2, 1, seeds), logit(ALPHA) if average == "logit" else ALPHA)
        start[0] = logit(ALPHA)
        estimate = distil(
            stream("mixture", seed, "sdft", "tilt", average, str(forward)),
            batch,
            SEPARATED,
            ALPHA,
            both,
            np.array([both]),
            tilt,
            average,
            forward,
        )
        path = expit(sgd(estimate, start, lr, np.linspace(300 / lr, 400 / lr, 26).astype(int))[:, 0, 0])
        rows.append(
            check(
                "M9",
                "fixed point under tilted demonstrations",
                predicted,
                over_seeds(path.mean(0)),
                "inside",
                tolerance=0.002,
                role="beside",
                average=average,
                student="forward" if forward else "reverse",
            )
        )
    return rows


def _drifts(horizon: int, deltas: Array) -> Rows:
    """Largest drift of the student's old mean with its means trained and averaged, and what is left of it."""
    times, far = np.linspace(0, horizon, 10 * horizon + 1), deltas >= 5.5
    curves, checks = [], []
    for shown in (0.2, 0.0):
        moved = [np.abs(sdft.flow(times, 0.8, 0.5, 0.5, d, PULL, shown)[1]) for d in deltas]
        largest, left = np.array([m.max() for m in moved]), np.array([m[-1] for m in moved])
        curves.append(curve("largest drift", "flow", deltas**2, largest, lambda_=shown))
        checks.append(_slope("largest drift", deltas[far], largest[far], shown, "measure"))
        if shown > 0:
            gone = exact(left[far][0] / largest[far][0])
            checks.append(
                check(
                    "M9",
                    "drift left over the largest, delta 5.5",
                    0.0,
                    gone,
                    "inside",
                    tolerance=0.01,
                    role="beside",
                    lambda_=shown,
                )
            )
        else:
            curves.append(curve("drift that stays", "flow", deltas**2, left, lambda_=shown))
            checks.append(_slope("drift that stays", deltas[far], left[far], shown, "measure"))
            checks.append(_slope("drift that stays", deltas, left, shown, "beside"))
    return curves, checks


def _slope(name: str, deltas: Array, drift: Array, shown: float, role: Role) -> Check:
    """Slope of ln(drift) on δ²."""
    fitted = exact(slope(deltas**2, np.log(drift)), len(deltas))
    quantity = f"slope of ln({name}) on delta^2, delta {deltas[0]:g}-8"
    return check("M9", quantity, -0.125, fitted, "inside", tolerance=0.01, role=role, lambda_=shown)

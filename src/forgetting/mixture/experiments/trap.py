"""The trap: with all parameters trained, forward KL drags the old mean along and β freezes above 0.

A frozen β is not a kept memory, so the mass in the old region stands beside it. Where the components have
merged β is held by nothing, and the noise of small batches moves it to ½: shown as well.
"""

import numpy as np

from forgetting.mixture import forward
from forgetting.mixture.densities import Array, expit
from forgetting.mixture.simulations import means
from forgetting.mixture.simulations.descent import sgd
from forgetting.results import Check, Result, check, curve, over_seeds, result, seed_curve
from forgetting.seeds import numpy_generator as stream

DELTAS = np.array([2.0, 3.0, 4.0, 5.0, 6.0])
B0, LONG = 0.5, 10_000.0


def run(seed: int, seeds: int = 24, batch: int = 64, horizon: int = 1000, points: int = 20) -> Result:
    """SGD at learning rate 0.1 to time `horizon`; the flow to t = 10,000; noisy SGD (0.5, batches of 16)."""
    rng = stream("mixture", seed, "trap")
    record = np.unique(np.geomspace(20, horizon / 0.1, points).round()).astype(int)
    calm = _train(rng, seeds, batch, 0.1, record)
    noisy = _train(rng, max(seeds // 4, 4), 16, 0.5, np.array([int(horizon * 20)]))
    curves, checks = [], []
    for i, delta in enumerate(DELTAS):
        times = np.append(record * 0.1, np.geomspace(horizon, LONG, 8)[1:])
        flow = forward.flow(times, B0, delta)
        measured, predicted = _read(calm[:, :, i].transpose(1, 0, 2), delta), _read(flow, delta)
        for name, values in measured.items():
            curves += [
                seed_curve(name, times[: len(record)], values, delta=delta),
                curve(name, "flow", times, predicted[name], delta=delta),
            ]
            checks.append(_close(name, predicted[name][len(record) - 1], values[-1], delta, float(horizon)))
        checks += _frozen(delta, predicted, expit(noisy[0, 0, i]), 10.0 * horizon)
    return result("trap", curves, checks)


def _train(rng: np.random.Generator, seeds: int, batch: int, rate: float, record: Array) -> Array:
    """θ of shape (records, 3, δ, seeds), from β = ½ and the right means."""
    start = np.zeros((3, len(DELTAS), seeds), np.float32)
    start[2] = DELTAS[:, None]
    return sgd(means.data(rng, batch, DELTAS), start, rate, record).astype(float)


def _read(theta: Array, delta: float) -> dict[str, Array]:
    """What the figure shows of θ (3, ...)."""
    return {
        "beta": np.asarray(expit(theta[0])),
        "old mean": theta[1],
        "old region": forward.old_region_mass(theta, delta),
    }


def _close(name: str, predicted: float, values: Array, delta: float, time: float) -> Check:
    """SGD within 10 % of the flow at its last time (noise and step size are of that order here)."""
    return check(
        "M1",
        f"trap: {name}",
        predicted,
        over_seeds(values),
        "inside",
        role="beside",
        tolerance=0.1 * abs(predicted),
        delta=delta,
        t=time,
    )


def _frozen(delta: float, flow: dict[str, Array], noisy: Array, time: float) -> list[Check]:
    """β of the flow stays above what fixed components leave; noise lifts it further."""
    fixed = forward.weight(np.array([LONG]), B0, delta)[0]
    return [
        check(
            "M1",
            "trap: beta of the flow over fixed components' beta",
            1.0,
            flow["beta"][-1] / fixed,
            "above",
            role="beside",
            delta=delta,
            t=LONG,
        ),
        check(
            "M1",
            "trap: beta under noisy batches",
            flow["beta"][-1],
            over_seeds(noisy),
            "above",
            role="beside",
            delta=delta,
            t=time,
        ),
    ]

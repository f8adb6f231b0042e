"""Plain SGD, whose steps × learning rate is the time of the theory, and Adam, whose is not."""

from collections.abc import Callable, Iterable

import numpy as np

from forgetting.mixture.densities import Array

Estimator = Callable[[Array], Array]


def sgd(estimate: Estimator, start: Array, learning_rate: float, record: Iterable[int]) -> Array:
    """Descend from `start`; return the parameters after each number of steps in `record` (ascending)."""
    theta, step, kept = start, 0, []
    rate = start.dtype.type(learning_rate)
    for stop in record:
        for _ in range(int(stop) - step):
            theta = theta - rate * estimate(theta)
        step = int(stop)
        kept.append(theta)
    return np.stack(kept)


def adam(estimate: Estimator, start: Array, learning_rate: float, record: Iterable[int]) -> Array:
    """The same with Adam (Kingma & Ba 2015, default moments), to show that no time law survives it."""
    theta, step, kept = start, 0, []
    first, second = np.zeros_like(start), np.zeros_like(start)
    for stop in record:
        while step < stop:
            step, g = step + 1, estimate(theta)
            first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
            unbiased = first / (1 - 0.9**step), second / (1 - 0.999**step)
            theta = theta - learning_rate * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
        kept.append(theta)
    return np.stack(kept)

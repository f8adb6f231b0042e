"""Ways to a new task on the three-answer simplex, from one base: where each arrives, and how far from the base.

Two answers are right for the new task, the third is wrong; any π without the wrong answer solves it. The flows
descend exact gradients in the logits: cross-entropy to two label distributions, to the oracle (the base renormalised
over the right answers), and the policy gradient of the probability to be right (arXiv 2509.04259). At equal accuracy
the oracle's direction is the nearest whichever way KL points; the policy gradient favours the likelier right answer
and ends beyond it. Whether it ends nearer than SFT to even labels depends on the base: here it does, from
(0.12, 0.28, 0.60) it does not.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.integrate import solve_ivp
from scipy.special import softmax

from forgetting.anchors.distributions import cross_entropy_gradient, kl
from forgetting.results import Array

BASE = np.array([0.10, 0.40, 0.50])  # right as often as a coin
RIGHT = np.array([1.0, 1.0, 0.0])
ARRIVED = 0.95  # probability to be right at which a way ends
ORACLE = BASE * RIGHT / (BASE @ RIGHT)
NEAREST = np.array([*ARRIVED * ORACLE[:2], 1 - ARRIVED])  # to the base, in either KL, of all that are as right
LABELS = {"sft_1": np.array([1.0, 0.0, 0.0]), "sft_2": np.array([0.5, 0.5, 0.0]), "sft_oracle": ORACLE}
METHODS = (*LABELS, "policy_gradient")
COLUMNS = ["kind", "method", "a", "b", "c", "forward", "reverse"]


def policy_gradient(pi: Array, reward: Array = RIGHT) -> Array:
    """∂/∂z of the expected reward: π (R − E R); (…, answers)."""
    return np.asarray(pi * (reward - (pi @ reward)[..., None]))


def descent(method: str) -> Callable[[Array], Array]:
    """The direction −∂loss/∂z in which a method moves the logits, as a function of π."""
    if method == "policy_gradient":
        return policy_gradient
    return lambda pi: -cross_entropy_gradient(pi, LABELS[method])


def way(method: str, points: int = 200) -> Array:
    """π (points, 3) along the flow from the base until it is right with probability 0.95, evenly spaced on the way.

    Raises KeyError for a method that is not in METHODS, RuntimeError when the flow does not arrive.
    """
    push = descent(method)

    def arrival(_: float, z: Array) -> float:
        return float(softmax(z) @ RIGHT) - ARRIVED

    arrival.terminal = True  # type: ignore[attr-defined]
    flow = solve_ivp(
        lambda _, z: push(softmax(z)), (0, 1e4), np.log(BASE), events=arrival, rtol=1e-10, atol=1e-12, dense_output=True
    )
    if flow.status != 1 or flow.sol is None:
        raise RuntimeError(f"The flow of {method} never is right with probability {ARRIVED}: {flow.message}")
    dense = softmax(flow.sol(flow.t[-1] * np.linspace(0, 1, 4000) ** 2).T, axis=1)
    length = np.concatenate([[0], np.linalg.norm(np.diff(dense, axis=0), axis=1).cumsum()])
    at = np.linspace(0, length[-1], points)
    return np.stack([np.interp(at, length, dense[:, k]) for k in range(3)], axis=1)


def lattice(rows: int) -> Array:
    """Points (n, 3) of the simplex, evenly spaced, whose coordinates are multiples of 1/rows; the edges included."""
    a, b = np.meshgrid(np.arange(rows + 1), np.arange(rows + 1))
    inside = a + b <= rows
    return np.stack([a[inside], b[inside], rows - a[inside] - b[inside]], axis=1) / rows


def _rows(kind: str, method: str, pi: Array) -> pd.DataFrame:
    """Rows of the picture: the coordinates of π (n, 3) and its two distances from the base."""
    frame = pd.DataFrame(pi, columns=["a", "b", "c"])
    return frame.assign(kind=kind, method=method, forward=kl(BASE, pi), reverse=kl(pi, BASE))[COLUMNS]


def picture(rows: int = 160) -> pd.DataFrame:
    """All that is drawn: kind (base, way, arrival, nearest, field), method, a, b, c, forward, reverse (nats).

    a and b are the right answers, c the wrong one. `field` is the lattice on which contours are drawn (forward KL is
    ∞ on its edges), `arrival` the last point of each way, `nearest` the point nearest to the base among those as right.
    """
    parts = [_rows("base", "", BASE[None]), _rows("nearest", "", NEAREST[None]), _rows("field", "", lattice(rows))]
    for method in METHODS:
        path = way(method)
        parts += [_rows("way", method, path), _rows("arrival", method, path[-1:])]
    return pd.concat(parts, ignore_index=True)

"""SDFT: a student trained on its own samples towards a teacher that is its running average."""

from typing import Literal

import numpy as np

from forgetting.mixture.densities import Array, expit, logit, responsibility
from forgetting.mixture.simulations import weights
from forgetting.mixture.simulations.descent import Estimator

Average = Literal["probability", "logit"]


def distil(
    rng: np.random.Generator,
    n: int,
    delta: float,
    alpha: float,
    pull: float,
    demonstration: Array,
    tilt: float = 0.0,
    average: Average = "probability",
    forward: bool = False,
) -> Estimator:
    """Descent of (student φ, teacher state), shape (2, cases, seeds); the teacher state is γ, or its logit.

    The student follows reverse KL on n own samples (`forward`: forward KL on n of the teacher's), towards the
    teacher's weight with its odds tilted by e^{−tilt}; `demonstration` has shape (cases,).
    """
    shown = demonstration[:, None]

    def estimate(state: Array) -> Array:
        phi, teacher = state
        gamma = expit(teacher) if average == "logit" else teacher
        goal = expit(logit(gamma) - tilt)
        if forward:
            x = rng.standard_normal((*phi.shape, n)) + delta * (rng.random((*phi.shape, n)) >= goal[..., None])
            student = expit(phi) - responsibility(x, phi[..., None], 0.0, delta).mean(-1)
        else:
            student = weights.own(rng, n, delta, goal)(phi)
        own, demonstrated = (phi, logit(alpha)) if average == "logit" else (expit(phi), alpha)
        return np.stack([student, -pull * (own - teacher) - shown * (demonstrated - teacher)])

    return estimate

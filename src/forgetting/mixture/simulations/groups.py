"""Group estimators of the near-on-policy methods: rewards compared inside one group of samples a step."""

import numpy as np

from forgetting.mixture.densities import Array, expit, responsibility
from forgetting.mixture.simulations.descent import Estimator


def judge(x: Array, delta: float) -> Array:
    """The judge's verdict on each sample: how surely it is new, in [0, 1]."""
    return 1 - responsibility(x, 0.0, 0.0, delta)


def _draw(rng: np.random.Generator, beta: Array, n: int, delta: float) -> Array:
    return np.asarray(rng.standard_normal((*beta.shape, n)) + delta * (rng.random((*beta.shape, n)) >= beta[..., None]))


def entropic(rng: np.random.Generator, n: int, delta: float, eta: float, anchor: Array, phi0: float) -> Estimator:
    """Descent direction −∂J/∂φ of TTT-Discover from groups of n: self-normalised weights e^{ηR}, KL anchor.

    φ has shape (cases, seeds); `anchor` has shape (cases,).
    """
    b0 = expit(phi0)

    def estimate(phi: Array) -> Array:
        beta = expit(phi)
        x = _draw(rng, beta, n, delta)
        r_o = responsibility(x, phi[..., None], 0.0, delta)
        u = np.exp(eta * (judge(x, delta) - 1))
        climb = (u * (r_o - beta[..., None])).sum(-1) / u.sum(-1)
        s_o = responsibility(x, phi0, 0.0, delta)
        ratio = np.log(beta[..., None] / b0 * s_o + (1 - beta[..., None]) / (1 - b0) * (1 - s_o))
        centred = ratio - ratio.mean(-1, keepdims=True)
        pull = (centred * (r_o - beta[..., None])).sum(-1) / (n - 1)
        return np.asarray(anchor[:, None] * pull - climb)

    return estimate


def regression(
    rng: np.random.Generator, n: int, delta: float, height: float, temperature: float, reference: Array
) -> Estimator:
    """Gradient of OAPL's squared loss in φ from n samples of the frozen `reference` β₀ (cases, seeds).

    The value is the group's own τ log mean e^{R/τ}. A reference weight of 0 draws no old sample at all.
    """

    def estimate(phi: Array) -> Array:
        x = _draw(rng, reference, n, delta)
        beta, b0 = expit(phi)[..., None], reference[..., None]
        r = height * judge(x, delta)
        value = temperature * np.log(np.exp(r / temperature).mean(-1, keepdims=True))
        odds = np.exp(delta * (delta / 2 - x))  # p_o / p_n
        mixed = beta * odds + 1 - beta
        miss = temperature * np.log(mixed / (b0 * odds + 1 - b0)) - (r - value)
        return np.asarray(2 * temperature * (miss * (beta * odds / mixed - beta)).mean(-1))

    return estimate

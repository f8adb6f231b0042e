"""Densities, responsibilities and samples of a two-mode mixture on the line through its means."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, logit

Array = NDArray[np.floating]
Value = Array | np.floating | float
HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)


def require_separation(delta: Value) -> None:
    """Raise ValueError unless every separation δ (in standard deviations) is positive and finite."""
    if not np.all((np.asarray(delta) > 0) & np.isfinite(delta)):
        raise ValueError(
            f"The separation must be positive, got {delta}: otherwise there are no two modes to tell apart."
        )


def require_weight(weight: Value, name: str = "weight") -> None:
    """Raise ValueError unless every weight lies strictly between 0 and 1."""
    if not np.all((np.asarray(weight) > 0) & (np.asarray(weight) < 1)):
        raise ValueError(f"The {name} must lie strictly between 0 and 1, got {weight}: both modes must be present.")


def separation(mu_old: ArrayLike, mu_new: ArrayLike, covariance: ArrayLike | None = None) -> float:
    """Mahalanobis distance δ between means of shape (d,) with one covariance (d, d), identity by default.

    Raises ValueError when the shapes differ or the means coincide.
    """
    old, new = np.atleast_1d(mu_old).astype(float), np.atleast_1d(mu_new).astype(float)
    sigma = np.eye(old.size) if covariance is None else np.atleast_2d(covariance).astype(float)
    if old.shape != new.shape or sigma.shape != (old.size, old.size):
        raise ValueError(
            f"Means and covariance must share one dimension, got {old.shape}, {new.shape} and {sigma.shape}."
        )
    gap = new - old
    delta = float(np.sqrt(gap @ np.linalg.solve(sigma, gap)))
    require_separation(delta)
    return delta


def log_normal(x: Array, mean: Value) -> Array:
    """Log density of N(mean, 1) at x."""
    gap = np.asarray(x - mean)
    return np.asarray(-0.5 * gap * gap - HALF_LOG_2PI)


def log_odds(x: Array, phi: Value, m_o: Value, m_n: Value) -> Array:
    """Log of βq_o(x) / ((1−β)q_n(x)), in the form that loses no digits far from both means."""
    m_o, m_n = np.asarray(m_o), np.asarray(m_n)
    return np.asarray(phi + (m_n - m_o) * ((m_o + m_n) / 2 - x))


def responsibility(x: Array, phi: Value, m_o: Value, m_n: Value) -> Array:
    """Posterior probability r_o(x) that x came from the old component."""
    return np.asarray(expit(log_odds(x, phi, m_o, m_n)))


def log_mixture(x: Array, phi: Value, m_o: Value, m_n: Value) -> Array:
    """Log density of σ(φ)N(m_o, 1) + (1−σ(φ))N(m_n, 1) at x."""
    return np.asarray(
        np.logaddexp(log_expit(phi) + log_normal(x, m_o), log_expit(-np.asarray(phi)) + log_normal(x, m_n))
    )


def score(x: Array, phi: Value, m_o: Value, m_n: Value) -> Array:
    """∂ log q/∂x of the mixture at x: the responsible mean minus x."""
    r_o = responsibility(x, phi, m_o, m_n)
    m_o, m_n = np.asarray(m_o), np.asarray(m_n)
    return np.asarray(r_o * m_o + (1 - r_o) * m_n - x)


def sample(
    rng: np.random.Generator, n: int, phi: Value, m_o: Value = 0.0, m_n: Value = 1.0
) -> tuple[Array, NDArray[np.bool_]]:
    """Draw n points from each mixture; return (x, from_old), both of shape (*parameters, n)."""
    beta, m_o, m_n = np.broadcast_arrays(expit(np.asarray(phi, dtype=float)), m_o, m_n)
    old = rng.random((*beta.shape, n)) < beta[..., None]
    return np.where(old, m_o[..., None], m_n[..., None]) + rng.standard_normal(old.shape), old


__all__ = [
    "Array",
    "Value",
    "expit",
    "log_mixture",
    "log_normal",
    "log_odds",
    "logit",
    "require_separation",
    "require_weight",
    "responsibility",
    "sample",
    "score",
    "separation",
]

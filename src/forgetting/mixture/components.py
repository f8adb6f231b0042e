"""K Gaussian components, and components that are not Gaussian (7)."""

from collections.abc import Callable

import numpy as np
from scipy.special import log_softmax, softmax

from forgetting.mixture import quadrature
from forgetting.mixture.densities import Array, log_normal
from forgetting.mixture.quadrature import Line, coarse_line


def _log_joint(x: Array, logits: Array, means: Array) -> Array:
    return np.asarray(log_softmax(logits)[:, None] + log_normal(x, means[:, None]))


def loss(logits: Array, means: Array, goal_logits: Array, goal_means: Array, grid: Line) -> float:
    """KL(q‖p) of two mixtures of K unit Gaussians; logits and means have shape (K,)."""
    log_q = np.logaddexp.reduce(_log_joint(grid.x, logits, means))
    return float(grid.density(log_q - np.logaddexp.reduce(_log_joint(grid.x, goal_logits, goal_means)), log_q))


def gradient(logits: Array, means: Array, goal_logits: Array, goal_means: Array, grid: Line) -> tuple[Array, Array]:
    """Gradient of `loss`: ∂z_k = β_k(E_{q_k}ℓ − E_qℓ), ∂m_k = β_k E_{q_k}[∂ℓ/∂x]; both of shape (K,)."""
    joint, goal = _log_joint(grid.x, logits, means), _log_joint(grid.x, goal_logits, goal_means)
    ratio = np.logaddexp.reduce(joint) - np.logaddexp.reduce(goal)
    push = softmax(joint, axis=0).T @ means - softmax(goal, axis=0).T @ goal_means
    density = np.exp(log_normal(grid.x, means[:, None])) * grid.step
    beta, inside = softmax(logits), density @ ratio
    return beta * (inside - beta @ inside), beta * (density @ push)


def flow(times: Array, weights: Array, goal_weights: Array, means: Array) -> Array:
    """Logits and means, shape (2K, times), along the flow to weights `goal_weights` from the right means."""
    weights, goal_weights, means = (np.asarray(v, float) for v in (weights, goal_weights, means))
    if not weights.shape == goal_weights.shape == means.shape:
        raise ValueError(
            "Weights, target weights and means must have one length, "
            f"got {weights.shape}, {goal_weights.shape} and {means.shape}."
        )
    k, grid = len(means), coarse_line(float(means.max()) - min(0.0, float(means.min())))
    grid = Line(grid.x + min(0.0, float(means.min())), grid.step)

    def velocity(state: Array) -> Array:
        return -np.concatenate(gradient(state[:k], state[k:], np.log(goal_weights), means, grid))

    return quadrature.flow(velocity, np.concatenate([np.log(weights), means]), times)


POTENTIALS: dict[str, Callable[[Array], Array]] = {
    "x²/2 + log cosh x": lambda x: x**2 / 2 + np.logaddexp(x, -x),
    "x²/2 + x⁴/4": lambda x: x**2 / 2 + x**4 / 4,
    "logistic": lambda x: 2 * np.logaddexp(x / 2, -x / 2),
    "Laplace": np.abs,
}
CONVEXITY = {"x²/2 + log cosh x": 1.0, "x²/2 + x⁴/4": 1.0}  # m with V'' ≥ m; the other two have none


def bhattacharyya(name: str, distance: float) -> float:
    """BC = ∫√(p(x)p(x−D))dx of two copies of p ∝ e^{−V} at `distance` D, by quadrature."""
    potential, x = POTENTIALS[name], np.linspace(-60, 60 + distance, 48001)
    mass = np.exp(-potential(x)).sum()
    return float(np.exp(-(potential(x) + potential(x - distance)) / 2).sum() / mass)


def bhattacharyya_bound(name: str, distance: float) -> float:
    """Bound e^{−mD²/8} for strongly log-concave components (V'' ≥ m); raises KeyError for the others."""
    return float(np.exp(-CONVEXITY[name] * distance**2 / 8))


def logistic_overlap(distance: float) -> float:
    """BC = (D/2)/sinh(D/2) of two logistic densities: log-concave, not strongly, and not covered."""
    return float(distance / 2 / np.sinh(distance / 2))


def laplace_overlap(distance: float) -> float:
    """BC = (1 + D/2)e^{−D/2} of two Laplace densities: not covered either."""
    return float((1 + distance / 2) * np.exp(-distance / 2))

"""Other divergences, components and log-concave shapes: what carries over, what does not (claim M12)."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import eigh

from forgetting.mixture import components, divergences, reverse
from forgetting.mixture.densities import Array, expit, log_mixture, logit, score
from forgetting.mixture.quadrature import line, slope
from forgetting.mixture.simulations import components as component_samples
from forgetting.mixture.simulations import weights
from forgetting.mixture.simulations.descent import sgd
from forgetting.results import (
    Check,
    Estimate,
    Result,
    Rows,
    check,
    curve,
    exact,
    far_separations,
    over_seeds,
    result,
    slope_over_seeds,
)
from forgetting.seeds import numpy_generator as stream

ALPHA, DELTA = 0.3, 4.0
DISTANCES = np.arange(1.0, 6.1)


def run(
    seed: int,
    seeds: int = 24,
    batch: int = 64,
    draws: int = 100_000,
    steps: int = 1500,
    drift_points: int = 6,
) -> Result:
    """SGD of `steps` at learning rate 0.2 for each divergence and K = 3; overlaps from `draws` samples."""
    deltas = far_separations(drift_points)
    curves: list[pd.DataFrame] = []
    checks: list[Check] = []
    for part in (
        *(_divergence(seed, name, seeds, batch, draws, steps, deltas) for name in divergences.DIVERGENCES),
        _three(seed, seeds, batch, steps, deltas),
        *(_overlaps(seed, name, draws) for name in components.POTENTIALS),
    ):
        curves, checks = curves + part[0], checks + part[1]
    return result("extensions", curves, checks)


def _divergence(seed: int, name: str, seeds: int, batch: int, draws: int, steps: int, deltas: Array) -> Rows:
    """Minimum at α, curvature f''(1), gated old mean, and collapse on new data alone, of one divergence."""
    d = divergences.DIVERGENCES[name]
    where: dict[str, Any] = {"f": name}
    estimate = weights.own(stream("mixture", seed, "extensions", name), batch, DELTA, np.array([ALPHA]), slope=d.slope)
    final = over_seeds(expit(sgd(estimate, np.zeros((1, seeds)), 0.2, [steps])[0, 0]))
    ratios = eigh(_hessian(name), reverse.fisher(ALPHA, DELTA), eigvals_only=True)
    worst = exact(float(ratios[np.abs(ratios - d.curvature).argmax()]))
    curves, gated = _gate(seed, name, draws, deltas)
    betas = np.linspace(0.01, 0.99, 25)
    least = min(_on_new_data(name, b) for b in betas)
    checks = [
        check("M12", "final beta", ALPHA, final, "inside", tolerance=0.005, role="headline", **where),
        check(
            "M12",
            "Hessian over Fisher, worst eigenvalue",
            d.curvature,
            worst,
            "inside",
            tolerance=0.01 * d.curvature,
            **where,
        ),
        gated,
        check(
            "M12",
            "least dD/dphi on new data alone",
            0.0,
            exact(least, len(betas)),
            "above",
            role="beside",
            **where,
        ),
    ]
    curves.append(curve("curvature", "computed", [d.curvature], [worst.value], **where))
    if name != "chi squared":  # its reward grows like q/p_n, far beyond what plain SGD can follow
        pushed = weights.away(stream("mixture", seed, "extensions", name, "away"), batch, DELTA, d.slope)
        left = over_seeds(expit(sgd(pushed, np.zeros((1, seeds)), 0.2, [steps])[0, 0]))
        checks.append(check("M12", "final beta on new data alone", 0.05, left, "below", role="beside", **where))
    return curves, checks


def _hessian(name: str, h: float = 1e-3) -> Array:
    """Second differences of D_f around the optimum."""
    goal, grid = reverse.target(ALPHA, DELTA), line(DELTA)
    steps = h * np.eye(3)
    return np.array(
        [
            [
                sum(a * b * divergences.loss(name, goal + a * u + b * v, goal, grid) for a in (1, -1) for b in (1, -1))
                / (4 * h * h)
                for v in steps
            ]
            for u in steps
        ]
    )


def _on_new_data(name: str, beta: float) -> float:
    """dD_f(q‖p_n)/dφ at δ = 2, where χ² is still finite in double precision."""
    grid, delta = line(2.0), 2.0
    phi = float(logit(beta))
    old_over_new = delta * (delta / 2 - grid.x)
    log_u = np.logaddexp(np.log(beta) + old_over_new, np.log1p(-beta))
    r_o = expit(phi + old_over_new)
    return float(grid.normal(np.exp(log_u) * divergences.DIVERGENCES[name].slope(log_u) * (r_o - beta), delta))


def _gate(seed: int, name: str, draws: int, deltas: Array) -> tuple[list[pd.DataFrame], dict[str, Any]]:
    """ln|∇_{m_o}D_f| at m_o = μ_o, m_n = μ_n (α .5, β .7) on δ², from samples drawn midway and exact."""
    rng, found, predicted = stream("mixture", seed, "extensions", name, "gate"), [], []
    for delta in deltas:
        theta, goal = np.array([logit(0.7), 0.0, delta]), reverse.target(0.5, delta)
        x = delta / 2 + rng.standard_normal(draws)
        log_u = log_mixture(x, *theta) - log_mixture(x, *goal)
        push = divergences.DIVERGENCES[name].gain(log_u) * (score(x, *theta) - score(x, *goal))
        found.append(over_seeds(np.abs(0.7 * push * np.exp(delta * (delta / 4 - x) / 2))))
        predicted.append(abs(divergences.gradient(name, theta, goal, line(delta))[1]))
    value, error = np.array([(e.value, e.standard_error) for e in found]).T
    curves = [
        curve("old mean's gradient", "simulated", deltas**2, value, error, f=name),
        curve("old mean's gradient", "predicted", deltas**2, np.array(predicted), f=name),
    ]
    fitted = slope_over_seeds(deltas**2, np.log(value), error / value, draws)
    return curves, check(
        "M12",
        "slope of ln|old mean's gradient| on delta^2",
        -0.125,
        fitted,
        "inside",
        tolerance=0.005,
        f=name,
    )


def _three(seed: int, seeds: int, batch: int, steps: int, deltas: Array) -> Rows:
    """K = 3: weights return to their targets, and the nearest neighbour alone sets the old mean's drift."""
    goal, start, times = np.array([0.3, 0.4, 0.3]), np.array([0.5, 0.3, 0.2]), np.linspace(0, 60, 301)
    estimate = component_samples.own_weights(
        stream("mixture", seed, "extensions", "three"), batch, np.array([0.0, 5.0, -12.0]), goal
    )
    z = sgd(estimate, np.repeat(np.log(start)[:, None], seeds, axis=1), 0.2, [steps // 2])[0]
    final = np.exp(z) / np.exp(z).sum(0)
    checks = [
        check("M12", "final weight, K = 3", g, over_seeds(w), "inside", tolerance=0.005, k=k)
        for k, (g, w) in enumerate(zip(goal, final, strict=True))
    ]

    def drift(far: float, nearest: Array) -> Array:
        paths = (components.flow(times, start, goal, np.array([0.0, d, far])) for d in nearest)
        return np.array([np.abs(path[3]).max() for path in paths])

    near, ends = drift(-12.0, deltas), deltas[[0, -1]]
    fitted = exact(slope(deltas**2, np.log(near)), len(deltas))
    moved = exact(float(np.abs(drift(-15.0, ends) / near[[0, -1]] - 1).max()), len(ends))
    checks += [
        check(
            "M12",
            "slope of ln(largest drift) on the nearest distance squared, K = 3",
            -0.125,
            fitted,
            "inside",
            tolerance=0.005,
        ),
        check(
            "M12",
            "largest change of that drift when the far component moves from -12 to -15",
            0.01,
            moved,
            "below",
        ),
    ]
    return [curve("largest drift, K = 3", "flow", deltas**2, near, far=-12)], checks


def _overlaps(seed: int, name: str, draws: int) -> Rows:
    """Bhattacharyya coefficient from samples, under e^{−mD²/8} or, for the contrast rows, above it."""
    rng, covered = stream("mixture", seed, "extensions", name), name in components.CONVEXITY
    found = [over_seeds(component_samples.overlap_samples(rng, name, d, draws)) for d in DISTANCES]
    value, error = np.array([(e.value, e.standard_error) for e in found]).T
    gaussian = np.exp(-(DISTANCES**2) / 8)
    closed = {"logistic": components.logistic_overlap, "Laplace": components.laplace_overlap}
    expected = np.array([closed.get(name, lambda d: components.bhattacharyya(name, d))(d) for d in DISTANCES])
    curves = [
        curve("overlap", "simulated", DISTANCES**2, value, error, V=name),
        curve("overlap", "predicted", DISTANCES**2, expected, V=name),
    ]
    checks: list[Check] = []
    for d, g, p, e in zip(DISTANCES, gaussian, expected, found, strict=True):
        if covered or d >= 4:
            kind = "under e^(-m D^2/8)" if covered else "above e^(-D^2/8)"
            ratio = Estimate(e.value / g, e.standard_error / g, e.n)
            checks.append(
                check("M12", f"overlap {kind}, ratio", 1.0, ratio, "below" if covered else "above", V=name, D=d)
            )
        if e.value > 1e-6:
            checks.append(check("M12", "overlap", p, e, "3 SE", role="beside", V=name, D=d))
    if name == next(iter(components.CONVEXITY)):  # one bound serves both: m = 1
        curves.append(curve("overlap", "bound", DISTANCES**2, gaussian, m=1))
    return curves, checks

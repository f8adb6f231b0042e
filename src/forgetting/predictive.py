"""Does the law hold where it was not fitted? Held-out R² and what it leaves unexplained, method by method."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from forgetting.fits import Array, coefficients_of, cross_products, sweep
from forgetting.frontier import SELECTIONS, select
from forgetting.intervals import jackknife_ends, measured
from forgetting.regression import codes, columns_of, named_row, usable, values


def held_out_table(points: pd.DataFrame, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Predictive R² of the quadratic on each method, and on each base seed, when fitted on the others.

    Columns: predictor, inputs, points, held_out (method | base_seed), group (which, or "(all)": of all
    predictions together), r2, n. It may be negative: then the group's own mean predicts better than the
    law.
    """
    rows = []
    for which in SELECTIONS:
        chosen = select(points, which)
        for column in usable(chosen, columns_of(points, columns), points["checkpoint"].max()):
            for by in ("method", "base_seed"):
                parts = cross_products(*values(chosen, column), codes(chosen, [by]))
                each, pooled = held_out_r2(parts)
                row = named_row(column, which) | {"held_out": by}
                for group, r2, n in zip(sorted(chosen[by].unique()), each, parts[:, 0, 0], strict=True):
                    rows.append(row | {"group": str(group), "r2": r2, "n": round(n)})
                rows.append(row | {"group": "(all)", "r2": pooled, "n": len(chosen)})
    return pd.DataFrame(rows)


def held_out_r2(parts: Array) -> tuple[Array, float]:
    """Predictive R² of each group (G,) and of all, from cross-products (G, 4, 4); NaN with a single group.

    Each group is predicted by the fit to the others, and compared with its own mean; all together with the
    mean of all.
    """
    if len(parts) < 2:
        return np.full(len(parts), np.nan), np.nan
    whole = parts.sum(axis=0)
    contrast = residual_of(whole - parts)
    error = np.einsum("gi,gij,gj->g", contrast, parts, contrast)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - error / about_mean(parts), float(1 - error.sum() / about_mean(whole))


def residual_table(points: pd.DataFrame, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Mean residual of each method from the quadratic fitted to all: a law would leave 0 for every one.

    Columns: predictor, inputs, points, method, residual (of forgetting; positive: forgets more than the law
    says), low, high (jackknife over base seeds, the fit being made again; NaN with one seed), n, coverage
    (of that interval in the coverage study).
    """
    tables = []
    for which in SELECTIONS:
        chosen = select(points, which)
        n = chosen.groupby("method").size()
        for column in usable(chosen, columns_of(points, columns), points["checkpoint"].max()):
            grid = method_products(chosen, column)
            residual, low, high = residual_intervals(grid)
            key = named_row(column, which) | {"method": n.index}
            found = {"residual": residual, "low": low, "high": high, "n": n.to_numpy()}
            coverage = measured("jackknife", "residual", len(grid))
            tables.append(pd.DataFrame(key | found | {"coverage": coverage}))
    return pd.concat(tables, ignore_index=True)


def method_products(points: pd.DataFrame, column: str) -> Array:
    """Cross-products (S, K, 4, 4) by base seed and method, each sorted; zeros where there are no points."""
    seed, method = codes(points, ["base_seed"]), codes(points, ["method"])
    n_methods = method.max() + 1
    cells = cross_products(*values(points, column), seed * n_methods + method)
    grid = np.zeros(((seed.max() + 1) * n_methods, 4, 4))
    grid[: len(cells)] = cells  # the last cells may be without points
    return grid.reshape(-1, n_methods, 4, 4)


def residual_intervals(grid: Array) -> tuple[Array, Array, Array]:
    """Mean residuals by method and the ends of their intervals, (K,) each, from products (S, K, 4, 4)."""
    whole = grid.sum(axis=0)
    means = mean_residuals(whole)
    return means, *jackknife_ends(means, mean_residuals(whole - grid))


def mean_residuals(methods: Array) -> Array:
    """Mean residual (..., K) of each method from the pooled fit, from cross-products (..., K, 4, 4)."""
    contrast = residual_of(methods.sum(axis=-3))
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Array = np.einsum("...ki,...i->...k", methods[..., 0, :], contrast) / methods[..., 0, 0]
    return means


def residual_of(products: Array) -> Array:
    """Contrast (..., 4) that turns [q₀ q₁ q₂ y] into residuals of the fit to products (..., 4, 4)."""
    beta = coefficients_of(products)
    return np.concatenate([-beta, np.ones((*beta.shape[:-1], 1))], axis=-1)


def about_mean(products: Array) -> Array:
    """Sum of squares (...) of y about its mean, from cross-products (..., 4, 4)."""
    scale = np.diagonal(products, axis1=-2, axis2=-1)
    return sweep(products, 0, scale)[..., 3, 3]

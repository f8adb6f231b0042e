"""Quadratic fits of forgetting on one predictor, and the sums that make refits cheap.

The in-sample R² of a quadratic needs of n points only the 4 × 4 matrix of cross-products

    M = AᵀA,   A = [q₀ q₁ q₂ y],   q = a basis of the polynomials of degree ≤ 2 at x.

Cross-products add: those of a set of trainings are the sum of each training's own. So they are taken once a
training, and any resample of trainings or base seeds is a weighted sum of small matrices (`r2_of`).
"""

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Polynomial
from scipy import stats

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

SINGULAR = 1e-12  # a pivot this small relative to its diagonal carries rounding, not information


def quadratic(x: Array, y: Array) -> Polynomial:
    """Least-squares quadratic of y on x, both (n,); `.coef` are the coefficients of 1, x, x², lowest first.

    The fit is made on x mapped to [-1, 1], where it is well conditioned, and then converted. Raises
    ValueError as `basis` does.
    """
    basis(x)
    fit = Polynomial.fit(x, y, 2).convert()
    return Polynomial(np.pad(fit.coef, (0, 3 - len(fit.coef))))


def basis(x: Array) -> Array:
    """Basis (n, 3) of the quadratics at x (n,): orthogonal over these points, mean square 1, q₀ = 1.

    Raises ValueError when x is not finite or takes fewer than three values: no quadratic is then
    determined.
    """
    if bad := int((~np.isfinite(x)).sum()):
        raise ValueError(f"predictor is not finite on {bad} of {len(x)} points: leave diverged points out")
    if (distinct := len(np.unique(x))) < 3:
        raise ValueError(f"predictor takes {distinct} distinct values on {len(x)} points: a quadratic needs 3")
    scaled = 2 * (x - x.min()) / np.ptp(x) - 1
    q, r = np.linalg.qr(np.vander(scaled, 3, increasing=True))
    upright: Array = q * np.sign(np.diag(r))
    return upright * float(np.sqrt(len(x)))


def cross_products(x: Array, y: Array, group: Codes | None = None) -> Array:
    """Cross-products M (G, 4, 4) of [q₀ q₁ q₂ y] for x, y and group codes 0..G-1, (n,) each.

    One basis serves all groups, so the matrices may be added. y is centred over all points, which changes
    no R² or residual and keeps digits. Raises ValueError as `basis` does.
    """
    group = np.zeros(len(x), dtype=np.intp) if group is None else group
    design = np.column_stack([basis(x), y - y.mean()])
    return summed(design[:, :, None] * design[:, None, :], group)


def summed(values: Array, group: Codes) -> Array:
    """Sums (G, ...) of values (n, ...) by group codes (n,) 0..G-1."""
    sums = np.zeros((group.max() + 1, *values.shape[1:]))
    np.add.at(sums, group, values)
    return sums


def r2_of(products: Array) -> Array:
    """In-sample R² (...) of the quadratic from cross-products M (..., 4, 4); NaN where y has no variance.

    Gaussian elimination: once the constant is swept out of M, its last entry is the total sum of squares;
    once the whole basis is, the residual one. A direction that the sums do not span is passed over.
    """
    scale = np.diagonal(products, axis1=-2, axis2=-1)
    swept = [sweep(products, 0, scale)]
    swept += [sweep(swept[-1], 1, scale)]
    swept += [sweep(swept[-1], 2, scale)]
    total, residual = swept[0][..., 3, 3], np.maximum(swept[2][..., 3, 3], 0)
    varies = total > SINGULAR * scale[..., 3]
    return np.where(varies, 1 - residual / np.where(varies, total, 1), np.nan)


def sweep(products: Array, k: int, scale: Array) -> Array:
    """Cross-products (..., 4, 4) of what is left of all columns once they are regressed on column k."""
    pivot, column = products[..., k, k], products[..., :, k]
    spans = pivot > SINGULAR * scale[..., k]
    inverse = np.where(spans, 1 / np.where(spans, pivot, 1), 0)
    return products - inverse[..., None, None] * column[..., :, None] * column[..., None, :]


def coefficients_of(products: Array) -> Array:
    """Least-squares coefficients (..., 3) in the basis, from cross-products (..., 4, 4)."""
    inverse = np.linalg.pinv(products[..., :3, :3], rcond=SINGULAR, hermitian=True)
    beta: Array = np.einsum("...ij,...j->...i", inverse, products[..., :3, 3])
    return beta


def r2(x: Array, y: Array) -> float:
    """In-sample R² of the quadratic of y on x, both (n,). ValueError as for `basis`, or if y is constant."""
    value = float(r2_of(cross_products(x, y)[0]))
    if np.isnan(value):
        raise ValueError(f"R² is undefined: the {len(y)} values to explain are all equal")
    return value


def isotonic_r2(x: Array, y: Array) -> float:
    """In-sample R² of the best monotone function of x, rising or falling: the ceiling of any monotone law."""
    from sklearn.isotonic import IsotonicRegression  # a second to import, and most of what imports this module draws

    errors = [((y - IsotonicRegression(increasing=up).fit_transform(x, y)) ** 2).sum() for up in (True, False)]
    return float(1 - min(errors) / ((y - y.mean()) ** 2).sum())


def spearman(x: Array, y: Array) -> float:
    """Spearman's rank correlation of x and y, both (n,)."""
    return float(stats.spearmanr(x, y).statistic)


def vertex(x: Array, y: Array) -> float:
    """Where the fitted parabola turns over; infinite for a straight line."""
    slope, bend = map(float, quadratic(x, y).coef[1:])
    return -slope / (2 * bend) if bend else float("inf")


def inside(at: float, x: Array) -> bool:
    """Whether a parabola that turns over `at` does so inside the range of x: then it is not a monotone law."""
    return bool(x.min() < at < x.max())

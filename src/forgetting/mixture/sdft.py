"""SDFT (arXiv 2601.19897): a student follows, on its own samples, its own running average (section 6).

Student β = σ(φ) follows reverse KL to the teacher's weight γ; the teacher is pulled to the student at rate a
and to the demonstrations (weight α) at rate λ: γ' = a(β−γ) + λ(α−γ).
"""

import numpy as np

from forgetting.mixture import quadrature, reverse
from forgetting.mixture.densities import Array, expit, logit, require_separation, require_weight
from forgetting.mixture.quadrature import coarse_line


def weights(times: Array, b0: float, g0: float, alpha: float, pull: float, demonstration: float) -> Array:
    """(β, γ) of the separated flow, shape (2, times); `pull` is a, `demonstration` is λ."""
    for value in (b0, g0, alpha):
        require_weight(value)

    def velocity(state: Array) -> Array:
        phi, gamma = state
        beta = expit(phi)
        return np.array(
            [
                -beta * (1 - beta) * (phi - logit(gamma)),
                pull * (beta - gamma) + demonstration * (alpha - gamma),
            ]
        )

    phi, gamma = quadrature.flow(velocity, [float(logit(b0)), g0], times)
    return np.stack([expit(phi), gamma])


def rate(alpha: float, pull: float, demonstration: float) -> float:
    """Slow eigenvalue, as a rate, of [[−k, k], [a, −(a+λ)]], k = α(1−α); 0 without demonstrations."""
    require_weight(alpha, "target weight")
    k = alpha * (1 - alpha)
    return float(-np.linalg.eigvals([[-k, k], [pull, -(pull + demonstration)]]).real.max())


def floor(b0: float, g0: float, alpha: float) -> float:
    """Lower bound min(b₀, g₀, α) of β(t) for λ > 0: the student keeps the least that anyone holds."""
    return min(b0, g0, alpha)


def tilted_weight(alpha: float, pull: float, demonstration: float, tilt: float) -> float:
    """Fixed point σ(φ_α − s(1+a/λ)) when demonstrations tilt the odds by e^{−s}, averaged in LOGITS."""
    return float(expit(logit(alpha) - tilt * (1 + pull / demonstration)))


def tilted_weight_by_probability(alpha: float, pull: float, demonstration: float, tilt: float) -> float:
    """The other fixed point, averaged in probabilities: a(σ(logit γ − s) − γ) + λ(α−γ) = 0."""
    gammas = np.roots(_probability_polynomial(alpha, pull, demonstration, tilt))
    gamma = next(float(g.real) for g in gammas if abs(g.imag) < 1e-12 and 0 < g.real < 1)
    return float(expit(logit(gamma) - tilt))


def _probability_polynomial(alpha: float, pull: float, demonstration: float, tilt: float) -> list[float]:
    # with c = e^{−s} the student's weight is cγ/(1−γ+cγ); multiplied out this is a quadratic in γ
    c, total = float(np.exp(-tilt)), pull + demonstration
    return [total * (1 - c), pull * c - total + demonstration * alpha * (c - 1), demonstration * alpha]


def flow(times: Array, b0: float, g0: float, alpha: float, delta: float, pull: float, demonstration: float) -> Array:
    """(φ, m_o, m_n, γ, teacher m_o, teacher m_n) with means trained and averaged too; shape (6, times)."""
    for value in (b0, g0, alpha):
        require_weight(value)
    require_separation(delta)
    grid, goal = coarse_line(delta), np.array([alpha, 0.0, delta])

    def velocity(state: Array) -> Array:
        student, teacher = state[:3], state[3:]
        push = reverse.gradient(student, np.array([logit(teacher[0]), *teacher[1:]]), grid)
        own = np.array([expit(student[0]), *student[1:]])
        return np.concatenate([-push, pull * (own - teacher) + demonstration * (goal - teacher)])

    return quadrature.flow(velocity, [float(logit(b0)), 0.0, delta, g0, 0.0, delta], times)

"""Near the base, along a trained update Δ: both KLs, the loss of the old task, and their quadratics, on real images.

The policy is θ₀ + tΔ; its distance is √(2·½ t² ΔᵀFΔ), F the full Fisher information of the base on old-task inputs (the
one that both directions of KL share to second order), not the diagonal one of EWC, which stands beside it.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from torch import Tensor
from torch.func import functional_call, jvp

from forgetting.data import Images
from forgetting.distances import forward_kl, reverse_kl
from forgetting.fisher import diagonal_fisher, quadratic
from forgetting.policy import Policy
from forgetting.results import Check, check

NEAR = 0.05  # distance at which KL and quadratic are to agree within 1 % (A9)
APART = 0.1  # the directions have parted where one is this much above the other


def along(base: Policy, end: Policy, t: float) -> Policy:
    """θ₀ + t(θ − θ₀) in float64."""
    policy = base.copy().double()
    for own, start, stop in zip(policy.parameters(), base.parameters(), end.parameters(), strict=True):
        own.data = start.detach().double() + t * (stop.detach().double() - start.detach().double())
    return policy


def full_quadratic(base: Policy, end: Policy, x: Tensor) -> float:
    """½ ΔᵀFΔ = ½ E_x Var_{y∼π₀}[u_y], u the change of logits to first order in Δ (a Jacobian-vector product)."""
    policy = along(base, end, 0.0)
    start = {name: p.detach() for name, p in policy.named_parameters()}
    stop = dict(along(base, end, 1.0).named_parameters())
    step = {name: stop[name].detach() - p for name, p in start.items()}
    logits, u, *_ = jvp(lambda parameters: functional_call(policy, parameters, (x.double(),)), (start,), (step,))
    pi = logits.softmax(1)
    mean = (pi * u).sum(1, keepdim=True)
    return 0.5 * float((pi * (u - mean).square()).sum(1).mean())


def geometry(base: Policy, end: Policy, clothes: Images, points: int = 13) -> pd.DataFrame:
    """One row a place t, log-spaced, the end included, and where the distance is NEAR.

    Columns: t, distance; forward and reverse (KL); full and diagonal (quadratics); squared (½‖tΔ‖²); loss (increase
    of the old task's cross-entropy).
    """
    whole = full_quadratic(base, end, clothes.x)
    diagonal = float(quadratic(diagonal_fisher(base, clothes.x), base, end).detach())
    squared = 0.5 * sum(
        float((a - b).detach().square().sum()) for a, b in zip(end.parameters(), base.parameters(), strict=True)
    )
    near = NEAR / math.sqrt(2 * whole)
    start = along(base, end, 0.0).log_probs(clothes.x.double())
    rows = []
    for t in sorted({*np.logspace(math.log10(near) - 1, 0, points), near}):
        moved = along(base, end, t).log_probs(clothes.x.double())
        rise = (start - moved).gather(1, clothes.label[:, None]).mean().item()
        row = {"t": t, "distance": t * math.sqrt(2 * whole), "loss": rise}
        row |= {"forward": forward_kl(start, moved).item(), "reverse": reverse_kl(start, moved).item()}
        rows.append(row | {"full": t**2 * whole, "diagonal": t**2 * diagonal, "squared": t**2 * squared})
    return pd.DataFrame(rows)


def parted(table: pd.DataFrame) -> float:
    """Distance from which the two directions differ by more than APART; infinite where they never do."""
    ratio = (table["forward"] / table["reverse"] - 1).abs()
    apart = table.loc[ratio > APART, "distance"]
    return float(apart.min()) if len(apart) else math.inf


def geometry_checks(table: pd.DataFrame, direction: str) -> Iterator[Check]:
    """A9 on images: at NEAR each KL is the quadratic within 1 %; the directions part only farther away."""
    row = table.iloc[int((table["distance"] - NEAR).abs().argmin())]
    for kl in ("forward", "reverse"):
        yield check("A9", "KL over quadratic at distance 0.05, clothes", 1.0, row[kl] / row["full"], "inside",
                    tolerance=0.01, kl=kl, towards=direction)  # fmt: skip
    yield check("A9", "distance from which the directions differ by 10 %, clothes", NEAR, parted(table), "above",
                towards=direction)  # fmt: skip
    yield check("A9", "diagonal over full quadratic, clothes", 1.0, row["diagonal"] / row["full"], "inside",
                tolerance=0.01, role="beside", towards=direction)  # fmt: skip

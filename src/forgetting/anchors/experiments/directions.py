"""Part A: what each direction of KL makes of one moved mass, and where both leave their quadratic (A1, A2, A9)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from forgetting.anchors import directions
from forgetting.anchors.directions import NEVER, RARE, USUAL
from forgetting.anchors.experiments.exact import Exact
from forgetting.results import Check, Rows, check, curve

WAYS = ("forward", "reverse")


class Case(NamedTuple):
    """Mass that moves: from where, to where, how much as published, at most; and the published ratio of the KLs."""

    claim: str
    source: int
    goal: int
    mass: float
    most: float
    ratio: float


CASES = {
    "rare fact erased": Case("A1", RARE, USUAL, directions.ERASED, 0.02895, 3.7),
    "never said, said": Case("A2", USUAL, NEVER, directions.SAID, 0.15, 3.4),
}
# What is moved, in logits; the answers not named stay.
MOVES = {
    "usual tone up": np.array([1.0, 0, 0, 0, 0]),
    "rare fact up": np.array([0, 0, 0, 1.0, 0]),
    "rare fact down": np.array([0, 0, 0, -1.0, 0]),
    "never said up": np.array([0, 0, 0, 0, 1.0]),
}


def moved_mass() -> Rows:
    """The penalties of a rare fact erased and of a new thing said, and their ratio at the published mass."""
    curves, checks = [], []
    for name, case in CASES.items():
        x = np.linspace(0, case.most, 150)
        drawn = directions.penalties(directions.moved(case.source, case.goal, x))
        at = [float(v) for v in directions.penalties(directions.moved(case.source, case.goal, np.array(case.mass)))]
        for way, penalty, value in zip(WAYS, drawn, at, strict=True):
            curves.append(curve("penalty", "computed", x, penalty, case=name, kl=way))
            curves.append(curve("penalty, published mass", "computed", [case.mass], [value], case=name, kl=way))
        ratio = at[0] / at[1] if case.claim == "A1" else at[1] / at[0]
        curves.append(curve("ratio", "computed", [case.mass], [ratio], case=name))
        quantity = "forward over reverse KL" if case.claim == "A1" else "reverse over forward KL"
        checks.append(
            check(case.claim, quantity, case.ratio, ratio, "meets", tolerance=0.05, role="headline", mass=case.mass)
        )
    return curves, checks


def exact_rows() -> Iterator[Exact]:
    """Each case's penalties and their ratio."""
    for name, case in CASES.items():
        both = directions.penalties(directions.moved(case.source, case.goal, np.array(case.mass)))
        for way, penalty in zip(WAYS, both, strict=True):
            yield Exact("A", f"{way} KL", name, np.nan, float(penalty))
        yield Exact("A", "larger over smaller KL", name, case.ratio, float(max(both) / min(both)))


def quadratic_regime() -> Rows:
    """KL over ½δᵀFδ as one answer's logit moves, both ways, and from where on the two directions differ by 10 %."""
    x, curves, checks = np.geomspace(0.004, 4, 120), [], []
    for move, unit in MOVES.items():
        skew = directions.skewness(unit)
        near = directions.relative_to_quadratic(np.array([0.05]), unit)
        for order, way, over, at in zip((1, 2), WAYS, directions.relative_to_quadratic(x, unit), near, strict=True):
            curves.append(curve("departure from quadratic", "computed", x, np.abs(over - 1), move=move, kl=way))
            checks += _near(float(at[0]), 1 + order * skew * 0.05 / 3, move=move, kl=way)
        quantity = "distance from which the directions differ by 10 %"
        checks.append(check("A9", quantity, 0.05, directions.parting(unit), "above", move=move))
    return curves, checks


def _near(ratio: float, expected: float, **where: Any) -> list[Check]:
    """KL over the quadratic at distance 0.05, held to 1 % and to what its third cumulant says."""
    name = "KL over quadratic at distance 0.05"
    return [
        check("A9", name, 1, ratio, "inside", tolerance=0.01, **where),
        check("A9", f"{name}, third order", expected, ratio, "inside", tolerance=0.002, role="beside", **where),
    ]

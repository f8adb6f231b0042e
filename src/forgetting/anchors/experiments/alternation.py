"""Part B: cross-entropy against each pull, by closed form and by alternating the two steps (A3, A4, A5)."""

from typing import Any

import numpy as np

from forgetting.anchors.alternation import Pull, alternate, equilibrium
from forgetting.results import Array, Check, Role, Rows, check, curve

REFS = np.array([1e-2, 1e-4, 1e-6])
PULLS: tuple[Pull, ...] = ("approximate", "reverse", "forward")


def alternating() -> Rows:
    """Where the token settles at three references, with cross-entropy once and twice as strong."""
    x, curves, checks = np.geomspace(1e-7, 0.1, 60), [], []
    for weight in (1, 2):
        for pull in PULLS:
            q = alternate(pull, REFS, weight)[-1]
            line = [equilibrium(pull, ref, weight) for ref in x]
            curves.append(curve("equilibrium", "predicted", x, line, pull=pull, weight=weight))
            curves.append(curve("equilibrium", "simulated", REFS, q, pull=pull, weight=weight))
            checks += _published(pull, weight, q) + _identities(pull, weight, q)
    return curves, checks


def _published(pull: Pull, weight: int, q: Array) -> list[Check]:
    """Rows of what has a published value."""
    where: dict[str, Any] = {"rule": "meets", "role": "headline"}
    if pull == "approximate" and weight == 1:
        pairs = zip((0.24, 0.12, 0.08), q, REFS, strict=True)
        return [check("A3", "equilibrium", value, ours, tolerance=0.005, ref=r, **where) for value, ours, r in pairs]
    if pull == "approximate":
        return [check("A5", "equilibrium", 0.21, q[1], tolerance=0.005, ref=REFS[1], **where)]
    if pull == "forward" and weight == 1:
        return [check("A4", "equilibrium", 0.50005, q[1], tolerance=1e-4, ref=REFS[1], **where)]
    return []


def _identities(pull: Pull, weight: int, q: Array) -> list[Check]:
    """Alternated against closed form; and, but for the forward anchor, that what is less known settles lower."""
    claim = "A4" if pull == "forward" else "A3" if weight == 1 else "A5"
    role: Role = "beside" if pull == "forward" and weight == 2 else "measure"
    rows, where = [], {"pull": pull, "weight": weight}
    symmetric = pull == "forward" and weight == 1  # the half-steps' biases, linear in the rate, cancel here
    for ref, ours in zip(REFS, q, strict=True):
        closed = equilibrium(pull, ref, weight)
        tolerance = 1e-5 if symmetric else 2e-3
        rows.append(check(claim, "settled", closed, ours, "inside", tolerance=tolerance, role=role, **_at(where, ref)))
    if pull != "forward":
        for ref, gap in zip(REFS, -np.diff(q), strict=False):
            rows.append(check(claim, "less for a reference 100 times smaller", 0, gap, "above", **_at(where, ref)))
    return rows


def _at(where: dict[str, Any], ref: float) -> dict[str, Any]:
    """Parameters of a row at one reference."""
    return {**where, "ref": ref}

"""Part B: cross-entropy against each pull, by closed form and by alternating the two steps (A3, A4, A5)."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from forgetting.anchors.alternation import Pull, equilibrium, settled
from forgetting.anchors.experiments.exact import Exact
from forgetting.results import Array, Check, Role, Rows, check, curve

REFS = np.array([1e-2, 1e-4, 1e-6])
PULLS: tuple[Pull, ...] = ("approximate", "reverse", "forward")
PUBLISHED: dict[tuple[Pull, int], tuple[float, ...]] = {  # at each of REFS
    ("approximate", 1): (0.24, 0.12, 0.08),
    ("approximate", 2): (np.nan, 0.21, np.nan),
    ("forward", 1): (np.nan, 0.50005, np.nan),
}


def alternating() -> Rows:
    """Where the token settles at three references, with cross-entropy once and twice as strong."""
    x, curves, checks = np.geomspace(1e-7, 0.1, 60), [], []
    for weight in (1, 2):
        for pull in PULLS:
            q = settled(pull, REFS, weight)
            line = [equilibrium(pull, ref, weight) for ref in x]
            curves.append(curve("equilibrium", "predicted", x, line, pull=pull, weight=weight))
            curves.append(curve("equilibrium", "simulated", REFS, q, pull=pull, weight=weight))
            checks += _published(pull, weight, q) + _identities(pull, weight, q)
    return curves, checks


def exact_rows() -> Iterator[Exact]:
    """Every equilibrium."""
    for weight, pull in product((1, 2), PULLS):
        q = settled(pull, REFS, weight)
        for ref, published, ours in zip(REFS, published_at(pull, weight), q, strict=True):
            where = f"{pull}, cross-entropy × {weight}, ref = {ref:g}"
            yield Exact("B", "equilibrium", where, published, equilibrium(pull, ref, weight), ours)


def published_at(pull: Pull, weight: int) -> tuple[float, ...]:
    """The published equilibrium at each of REFS; NaN where there is none."""
    return PUBLISHED.get((pull, weight), (np.nan,) * len(REFS))


def _published(pull: Pull, weight: int, q: Array) -> list[Check]:
    """Rows of what has a published value."""
    claim, tolerance = ("A4", 1e-4) if pull == "forward" else ("A3" if weight == 1 else "A5", 0.005)
    where: dict[str, Any] = {"rule": "meets", "role": "headline", "tolerance": tolerance}
    values = zip(REFS, published_at(pull, weight), q, strict=True)
    return [check(claim, "equilibrium", value, ours, ref=r, **where) for r, value, ours in values if np.isfinite(value)]


def _identities(pull: Pull, weight: int, q: Array) -> list[Check]:
    """Alternated against closed form; and, but for the forward anchor, that what is less known settles lower."""
    claim = "A4" if pull == "forward" else "A3" if weight == 1 else "A5"
    role: Role = "beside" if pull == "forward" and weight == 2 else "measure"
    rows, where = [], {"pull": pull, "weight": weight}
    for ref, ours in zip(REFS, q, strict=True):
        closed = equilibrium(pull, ref, weight)
        rows.append(check(claim, "settled", closed, ours, "inside", tolerance=1e-5, role=role, **_at(where, ref)))
    if pull != "forward":
        for ref, gap in zip(REFS, -np.diff(q), strict=False):
            rows.append(check(claim, "less for a reference 100 times smaller", 0, gap, "above", **_at(where, ref)))
    return rows


def _at(where: dict[str, Any], ref: float) -> dict[str, Any]:
    """Parameters of a row at one reference."""
    return {**where, "ref": ref}

"""Part C: the forward anchor ends where replay does, the reverse anchor mostly nowhere near (A6, A7, A13)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from forgetting.anchors import optima
from forgetting.anchors.distributions import cross_entropy_gradient, descend, reverse_gradient
from forgetting.anchors.experiments.alternation import REFS
from forgetting.anchors.experiments.exact import Exact
from forgetting.results import Array, Check, Rows, check

OLD, NEW, WEIGHT = np.array([0.9, 0.0999, 0.0001]), np.array([0.0, 0.0, 1.0]), 1 / 3
ON_THE_WAY = np.array([0.4, 0.1, 0.5])
TWO_TOKENS = np.array([0.0, 0.0, 0.5, 0.5])
OPTIMUM, SHARES = (0.225, 0.025, 0.750), (0.73, 0.86, 0.91)  # published: of the forward anchor; of the reverse one
TWO_REFS = np.array([0.9, 0.098999, 1e-3, 1e-6])  # one new token is a thousand times better known than the other


def exact_rows() -> Iterator[Exact]:
    """The forward anchor's optimum, gradients on the way there, and the replay shares of the reverse anchor."""
    closed, anchored = optima.forward_optimum(NEW, OLD, WEIGHT), descended_with_anchor()
    for k, published in enumerate(OPTIMUM):
        yield Exact("C", "optimum of the forward anchor", f"answer {k + 1}", published, closed[k], anchored[k])
    for name, published, ours in gradients():
        yield Exact("C", f"gradient, {name}", "on the way", published, ours)
    for ref, published in zip(REFS, SHARES, strict=True):
        old = one_token(ref)
        pair = (optima.reverse_optimum(NEW, old, 1.0), descended_reverse(NEW, old))
        shares = [optima.nearest_mixture(pi, NEW, old)[0] for pi in pair]
        yield Exact("C", "replay share of the reverse anchor", f"ref = {ref:g}", published, *shares)


def descended_with_anchor() -> Array:
    """Where descent with the forward anchor ends."""
    return descend(lambda pi: optima.forward_anchored(pi, NEW, OLD, WEIGHT), OLD, 1.0, 2000)


def descended_reverse(new: Array, old: Array) -> Array:
    """Where descent with a reverse anchor of weight 1 ends."""
    return descend(lambda pi: optima.reverse_anchored(pi, new, old, 1.0), old, 0.5, 4000)


def one_token(ref: float) -> Array:
    """A reference of three answers that gives the new one `ref`."""
    return np.array([0.9 * (1 - ref), 0.1 * (1 - ref), ref])


def forward_is_replay() -> Rows:
    """The forward anchor's optimum and replay's, both descended to, against the mixture."""
    closed, share = optima.forward_optimum(NEW, OLD, WEIGHT), optima.replay_share(WEIGHT)
    mixed = optima.mixture(NEW, OLD, share)
    anchored = descended_with_anchor()
    replayed = descend(lambda pi: cross_entropy_gradient(pi, mixed), OLD, 1.0, 2000)
    checks = [check("A6", "replay share", 0.25, share, "inside", tolerance=1e-12)]
    for k, published in enumerate(OPTIMUM):
        where: dict[str, Any] = {"answer": k + 1}
        checks += [
            check("A6", "optimum", published, anchored[k], "meets", tolerance=5e-4, role="headline", **where),
            check("A6", "descended with the anchor", closed[k], anchored[k], "inside", tolerance=1e-4, **where),
            check("A6", "descended with replay", closed[k], replayed[k], "inside", tolerance=1e-4, **where),
        ]
    return [], checks


def gradients() -> list[tuple[str, float, float]]:
    """The two anchors' gradients on the new token's logit half-way there, and their ratio: name, published, ours."""
    reverse, forward = (g(ON_THE_WAY, OLD)[2] for g in (reverse_gradient, cross_entropy_gradient))
    return [("reverse", 2.29, reverse), ("forward", 0.50, forward), ("reverse over forward", 4.6, reverse / forward)]


def on_the_way() -> Rows:
    """The two anchors' gradients against the published ones."""
    checks = [
        check("A7", f"gradient, {name}", published, float(ours), "meets", tolerance=0.02, role="headline")
        for name, published, ours in gradients()
    ]
    return [], checks


def reverse_against_replay() -> Rows:
    """Distance from the reverse anchor's optimum to the nearest mixture: none with one new token, some with two.

    The claim, that it equals no replay, holds for two tokens alone: the interval of the headline row runs from the
    distance with one to the distance with two, so that the verdict cannot be better than "partly".
    """
    checks, none = [], []
    for ref, published in zip(REFS, SHARES, strict=True):
        share, distance, rows = _nearest(NEW, one_token(ref), tokens="one", ref=ref)
        none.append(distance)
        where: dict[str, Any] = {"tokens": "one", "ref": ref}
        checks += [
            *rows,
            check("A13", "replay share", published, share, "meets", tolerance=0.005, **where),
            check("A13", "distance to nearest mixture", 0, distance, "inside", tolerance=1e-6, **where),
        ]
    _, some, rows = _nearest(TWO_TOKENS, TWO_REFS, tokens="two")
    quantity, whole = "distance to nearest mixture", (round(max(none), 9), some)
    checks += [
        *rows,
        check("A13", quantity, 1e-3, some, "above", tokens="two"),
        check("A13", quantity, 1e-3, some, "above", role="headline", interval=whole, tokens="one to two"),
    ]
    return [], checks


def _nearest(new: Array, old: Array, **where: Any) -> tuple[float, float, list[Check]]:
    """Share of the mixture nearest to the optimum that descent finds, its distance, and descent against closed form."""
    pi = descended_reverse(new, old)
    off = float(np.abs(pi - optima.reverse_optimum(new, old, 1.0)).max())
    share, distance = optima.nearest_mixture(pi, new, old)
    return share, distance, [check("A13", "descended less closed form", 0, off, "inside", tolerance=1e-4, **where)]

"""Two limits on images and beside them in small: how far own samples reach (A10), how far the quadratic holds (A9)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from forgetting import seeds
from forgetting.anchors import reach
from forgetting.data import Tasks
from forgetting.finetuning import one_epoch
from forgetting.gaps import GROUP, hard, reach_table
from forgetting.geometry import geometry, geometry_checks
from forgetting.objectives import grpo, sft_1
from forgetting.policy import Policy
from forgetting.results import Check, Result, check, curve, exact, over_seeds, result, seed_curve

STEPS, INPUTS = 125, 400  # of the tabular policies
RATE = 30.0  # so large that one right answer is learned at once: what is measured is whether it is ever sampled
MASSES = np.logspace(-6, -1, 13)
GAPS = (0.0, *np.logspace(-8, -1, 8))  # the same, of networks
Part = tuple[list[pd.DataFrame], list[Check]]


def tabular(seed: int, repeats: int) -> Part:
    """GRPO and SFT on tabular policies, with the predicted threshold (A10)."""
    samples = STEPS * GROUP

    def grpo_from(p: float) -> list[float]:
        draws = (seeds.numpy_generator("reach", seed, k, p) for k in range(repeats))
        return [reach.grpo(p, INPUTS, STEPS, GROUP, RATE, draw) for draw in draws]

    found = np.array([grpo_from(p) for p in MASSES])
    learned = np.array([reach.sft(p, 1, STEPS, RATE) for p in MASSES])
    ratios = np.log2([reach.crossing(MASSES, one) / reach.threshold(samples) for one in found.T])
    masked, lifted = over_seeds(np.array(grpo_from(0.0))), exact(reach.sft(0.0, INPUTS, STEPS, RATE))
    curves = [
        seed_curve("tabular accuracy", MASSES, found, method="grpo"),
        curve("tabular accuracy", "computed", MASSES, learned, method="sft"),
        curve("tabular accuracy", "predicted", MASSES, reach.lit(MASSES, samples), method="grpo"),
    ]
    name = "log2 of the threshold p, measured over predicted"
    checks = [
        check("A10", name, 0.0, over_seeds(ratios), "inside", tolerance=1.0, role="headline", samples=samples),
        check("A10", "GRPO's accuracy where the base gives 0", 0.5, masked, "below"),
        check("A10", "SFT's accuracy there, the mask lifted", 0.9, lifted, "above"),
    ]
    return curves, checks


def on_images(tasks: Tasks, base_seeds: Sequence[int], settings: Mapping[str, Any]) -> Part:
    """GRPO and SFT-1 from bases with a gap: the network shares what it learns across inputs (A10).

    So its threshold lies below that of an input's own samples; the samples of all inputs of the gap together set
    another, where a right answer of any of them is as likely as not.
    """
    table = reach_table(tasks, base_seeds, GAPS, **settings)
    by_mass = {m: own.pivot(index="p", columns="base_seed", values="accuracy") for m, own in table.groupby("method")}
    masked = {m: over_seeds(wide.iloc[0].to_numpy()) for m, wide in by_mass.items()}
    drawn = {m: (wide.index[1:].to_numpy(), wide.iloc[1:].to_numpy()) for m, wide in by_mass.items() if m != "base"}
    inputs = int(hard(tasks.digits.label).sum())
    thresholds = {"own": reach.threshold(GROUP), "shared": reach.threshold(GROUP * inputs)}
    curves = [seed_curve("accuracy on the gap", *shares, method=m) for m, shares in drawn.items()]
    curves += [curve("threshold on the gap", "predicted", [p], [0.5], samples=name) for name, p in thresholds.items()]
    p, shares = drawn["grpo"]
    crossings = np.array([reach.crossing(p, one) for one in shares.T])
    below = "log10 of the threshold p, network over that of its own samples"
    checks = [
        check(
            "A10", "GRPO's accuracy on the gap's digits, network", 0.5, masked["grpo"], "below", role="beside", p=0.0
        ),
        check("A10", "SFT-1's accuracy there, the mask lifted", 0.9, masked["sft_1"], "above", role="beside", p=0.0),
        check("A10", below, 0.0, over_seeds(np.log10(crossings / thresholds["own"])), "below", role="beside"),
    ]
    return curves, checks


def nearby(base: Policy, tasks: Tasks, base_seed: int, learning_rate: float) -> Part:
    """Both KLs and their quadratics on the way to what SFT-1 and GRPO make of the base (A9)."""
    digits, log_probs = tasks.digits, base.log_probs(tasks.digits.x).float()
    curves, checks = [], []
    for name, objective in (("sft_1", sft_1), ("grpo", grpo)):
        end = one_epoch(
            base, objective, digits, log_probs, learning_rate, base_seed=base_seed, training=f"geometry/{name}"
        )
        table = geometry(base, end, tasks.clothes_test)
        measured = [c for c in table.columns if c not in ("t", "distance")]
        curves += [curve(c, "computed", table["distance"], table[c], towards=name) for c in measured]
        checks += list(geometry_checks(table, name))
    return curves, checks


def limits(
    base: Policy, tasks: Tasks, base_seeds: Sequence[int], *, seed: int, repeats: int, **settings: float
) -> Result:
    """Every curve and check; `settings` as in `gaps.reach_table`. `repeats`: of the tabular simulation."""
    parts = [
        tabular(seed, repeats),
        on_images(tasks, base_seeds, settings),
        nearby(base, tasks, base_seeds[0], settings["learning_rate"]),
    ]
    return result("limits", [c for curves, _ in parts for c in curves], [c for _, checks in parts for c in checks])

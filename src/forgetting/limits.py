"""Two limits on images and beside them in small: how far own samples reach (A10), how far the quadratic holds (A9)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from forgetting import seeds
from forgetting.anchors import reach
from forgetting.data import Tasks
from forgetting.finetuning import one_epoch
from forgetting.gaps import reach_table
from forgetting.geometry import geometry, geometry_checks
from forgetting.objectives import grpo, sft_1
from forgetting.policy import Policy
from forgetting.results import Check, Result, check, curve, exact, over_seeds, result, seed_curve

STEPS, GROUP, INPUTS = 125, 8, 400  # of the tabular policies
RATE = 30.0  # so large that one right answer is learned at once: what is measured is whether it is ever sampled
MASSES = np.logspace(-6, -1, 13)
GAPS = (1e-1, 1e-2, 1e-4, 1e-6)  # the same, of networks
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


def on_images(tasks: Tasks, base_seeds: Sequence[int], settings: Mapping[str, float]) -> Part:
    """GRPO and SFT-1 from bases with a gap: the network shares what it learns across inputs (A10)."""
    table = reach_table(tasks, base_seeds, GAPS, **settings)
    wide = {m: own.pivot(index="p", columns="base_seed", values="accuracy") for m, own in table.groupby("method")}
    curves = [seed_curve("accuracy on the gap", w.index.to_numpy(), w.to_numpy(), method=m) for m, w in wide.items()]
    lowest = {m: over_seeds(w.iloc[0].to_numpy()) for m, w in wide.items()}
    name = "accuracy on the gap's digits"
    checks = [
        check("A10", f"SFT-1's {name}", 0.9, lowest["sft_1"], "above", p=min(GAPS)),
        check("A10", f"GRPO's {name}, network", 0.5, lowest["grpo"], "below", role="beside", p=min(GAPS)),
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
    """Every curve and check; `settings` as in `gaps.gap_base`, and batch_size. `repeats`: of the tabular simulation."""
    parts = [
        tabular(seed, repeats),
        on_images(tasks, base_seeds, settings),
        nearby(base, tasks, base_seeds[0], settings["learning_rate"]),
    ]
    return result("limits", [c for curves, _ in parts for c in curves], [c for _, checks in parts for c in checks])

"""Chen et al.'s toy: less of the old mode lost at equal gain, and what the slow factor does (claim M13)."""

from typing import Any

import numpy as np
import pandas as pd

from forgetting.mixture import chen
from forgetting.mixture.densities import Array
from forgetting.results import (
    Check,
    Estimate,
    Result,
    Role,
    check,
    exact,
    over_seeds,
    result,
    seed_curve,
)
from forgetting.seeds import numpy_generator as stream

GAIN, SLOW = 0.9, 0.005
RUNS: tuple[tuple[chen.Rule, float], ...] = (("forward", 0.15), ("forward", 0.01), ("reverse", 0.01))
COLLAPSE = 0.75  # of an overlap of 0.803 at the start
PUBLISHED = {"forward": 0.124, "reverse": 0.038}  # one run each of the public simulation


def run(seed: int, seeds: int = 48, samples: int = 1000) -> Result:
    """`seeds` learners a rule and learning rate, with the factor on the old mode's rates and without."""
    curves: list[pd.DataFrame] = []
    checks: list[Check] = []
    for factor in (SLOW, 1.0):
        drops = {}
        for rule, rate in RUNS:
            rng = stream("mixture", seed, "chen", rule, str(rate), str(factor))
            path = chen.train(rng, rule, rate, seeds, factor, samples=samples)
            where: dict[str, Any] = {"learner": rule, "lr": rate, "factor": factor}
            steps = np.arange(0, len(path.old), 4)
            curves.append(seed_curve("old overlap", steps, path.old[steps], **where))
            curves.append(seed_curve("new overlap", steps, path.new[steps], **where))
            drops[rule, rate] = chen.drop_at_gain(path, GAIN)
            arrived = exact(float(np.isfinite(drops[rule, rate]).mean()), seeds)
            expected = 0.0 if (rule, rate, factor) == ("forward", 0.01, SLOW) else 1.0
            checks.append(
                check(
                    "M13",
                    "share of runs that gain 0.9 in 200 steps",
                    expected,
                    arrived,
                    "inside",
                    tolerance=0.05,
                    role="beside",
                    **where,
                )
            )
        checks += _compare(drops["forward", 0.15], drops["reverse", 0.01], factor)
    return result("chen", curves, checks)


def _compare(forward: Array, reverse: Array, factor: float) -> list[Check]:
    """Difference of the mean drops at equal gain; each drop beside the public simulation's, or beside all."""
    slow = factor == SLOW
    where: dict[str, Any] = {"factor": factor}
    ahead, behind = over_seeds(forward[np.isfinite(forward)]), over_seeds(reverse[np.isfinite(reverse)])
    error = float(np.hypot(ahead.standard_error, behind.standard_error))
    gap = Estimate(ahead.value - behind.value, error, min(ahead.n, behind.n))
    less = exact(float((reverse < ahead.value).mean()), reverse.size)
    role: Role = "headline" if slow else "beside"
    rows = [
        check("M13", "drop at gain 0.9, forward less reverse", 0.0, gap, "above", role=role, **where),
        check(
            "M13",
            "runs of reverse that lose less than forward's mean",
            0.5,
            less,
            "above",
            role="beside",
            **where,
        ),
    ]
    for name, found in (("forward", ahead), ("reverse", behind)):
        quantity = f"drop at gain 0.9, {name}"
        if slow:
            row = check("M13", quantity, PUBLISHED[name], found, "meets", tolerance=0.005, role="beside", **where)
        else:
            row = check("M13", f"{quantity}: old mode lost", COLLAPSE, found, "above", role="beside", **where)
        rows.append(row)
    return rows

"""Closed forms beside descent and simulation: one module a question, `run` for all of them."""

from itertools import chain

import numpy as np
import pandas as pd

from forgetting.anchors.experiments import alternation, directions, optima, replay
from forgetting.results import Result, result
from forgetting.seeds import numpy_generator


def run(seed: int, draws: int = 4000) -> Result:
    """Curves and checks of every exact question on anchors; `draws` batches stand behind a simulated value."""
    parts = [
        directions.moved_mass(),
        directions.quadratic_regime(),
        alternation.alternating(),
        optima.forward_is_replay(),
        optima.on_the_way(),
        optima.reverse_against_replay(),
        replay.gradient_noise(numpy_generator("anchors", seed, "noise"), draws),
        replay.wrong_belief(numpy_generator("anchors", seed, "belief"), draws),
    ]
    curves, checks = zip(*parts, strict=True)
    return result("anchors", chain(*curves), chain(*checks))


def exact_table() -> pd.DataFrame:
    """Published, exact and descended values side by side: a row an `exact.Exact`."""
    return pd.DataFrame([*directions.exact_rows(), *alternation.exact_rows(), *optima.exact_rows()])


def exact_cells(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `exact_table` that have a published value, as cells of a LaTeX table."""
    shown = table[table["published"].notna()]
    cells = pd.DataFrame({"": shown["quantity"], "case": shown["parameters"].str.replace("×", r"$\times$")})
    for column in ("published", "exact", "descended"):
        cells[column] = ["--" if np.isnan(value) else f"${value:.5g}$" for value in shown[column]]
    return cells

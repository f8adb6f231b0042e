"""The trainings of the multiverse: a cell is one method's whole grid from one base, under one set of choices."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pandas as pd

from forgetting import registry
from forgetting.base import pretrain
from forgetting.data import load
from forgetting.distances import OUTPUTS
from forgetting.finetuning import Start, finetune_grid
from forgetting.mechanism import describe
from forgetting.points import KEYS
from forgetting.sections import LearningRates
from forgetting.universes import Tree, without

MEASURED = ["training", "checkpoint", "step", "parity_accuracy", "fashion_accuracy", "forgetting", "diverged"]
COLUMNS = [*KEYS, *MEASURED, *(f"{name}_{inputs}" for name in OUTPUTS for inputs in ("new", "old"))]


def cell_points(cells: Mapping[str, Tree], images: Path) -> Iterator[pd.DataFrame]:
    """Points of each cell, with its name (`cell`) and what its base is like (base_parity_accuracy, …).

    Cells that follow each other and have one base share it. Only distances between outputs are measured.
    """
    for (start, data), group in groupby(cells.items(), key=lambda item: (item[1]["base"], item[1]["data"])):
        tasks = load(images, **data)
        base = pretrain(tasks, start["seed"], **without(start, "seed", "pixels"))
        begin = Start.of(base, tasks, outputs_only=True)
        about = {f"base_{name}": value for name, value in describe(base, tasks).items()}
        for name, cell in group:
            method, grid = cell["method"], without(cell["grid"], "rates", "accuracy")
            points = finetune_grid(
                begin._replace(baseline=replace(begin.baseline, accuracy=cell["grid"]["accuracy"])),
                tasks,
                registry.load(method["objective"], method["options"]),
                method=method["name"],
                base_seed=start["seed"],
                rates=LearningRates(**cell["grid"]["rates"]).values(),
                inner=method["inner"],
                **grid,
            )
            yield points[COLUMNS].assign(cell=name, **about)

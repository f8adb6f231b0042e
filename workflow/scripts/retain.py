"""Base policies → points of one method that holds on to the old task, at every strength."""

from pathlib import Path

import pandas as pd

from forgetting.data import load
from forgetting.jobs import logged
from forgetting.policy import Policy
from forgetting.strengths import Varied, retained_points
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    params = snakemake.params
    tasks = load(Path(snakemake.input.data), params.pixels, digits=params.digits)
    points = [
        retained_points(
            Policy.load(path),
            tasks,
            snakemake.wildcards.kept,
            Varied(**params.varied),
            base_seed=seed,
            **params.settings,
        )
        for seed, path in zip(params.base_seeds, snakemake.input.bases, strict=True)
    ]
    write_parquet(pd.concat(points, ignore_index=True), snakemake.output[0])

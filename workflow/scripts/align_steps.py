"""Base policy → KL growth and alignment with the old task's gradient at steps of one training a method."""

from pathlib import Path

import pandas as pd

from forgetting import registry
from forgetting.alignment import steps_of
from forgetting.data import load
from forgetting.jobs import logged
from forgetting.policy import Policy
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    base = Policy.load(snakemake.input.base)
    tasks = load(Path(snakemake.input.data), snakemake.params.pixels)
    frames = [
        steps_of(
            base,
            tasks,
            registry.load(objective, options),
            method=method,
            base_seed=int(snakemake.wildcards.base_seed),
            inner=inner,
            **snakemake.params.settings,
        )
        for method, objective, options, inner in snakemake.params.methods
    ]
    write_parquet(pd.concat(frames, ignore_index=True), snakemake.output[0])

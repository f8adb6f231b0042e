"""Base policy and GRPO's points → a teacher's and its students' checkpoints."""

from pathlib import Path

import pandas as pd

from forgetting import registry
from forgetting.data import load
from forgetting.distillation import distil
from forgetting.jobs import logged
from forgetting.policy import Policy
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    frame = distil(
        Policy.load(snakemake.input.base),
        load(Path(snakemake.input.data), snakemake.params.pixels),
        pd.read_parquet(snakemake.input.points),
        registry.load(snakemake.params.objective, snakemake.params.options),
        base_seed=int(snakemake.wildcards.base_seed),
        rates=snakemake.params.rates,
        inner=snakemake.params.inner,
        **snakemake.params.settings,
    )
    write_parquet(frame, snakemake.output[0])

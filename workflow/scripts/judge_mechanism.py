"""Distillations and steps of every base seed → checks; bases → what each is like."""

from pathlib import Path

import pandas as pd

from forgetting.data import load
from forgetting.jobs import logged
from forgetting.law_checks import law_checks
from forgetting.mechanism import bases_table
from forgetting.policy import Policy
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    students, steps = (
        [pd.read_parquet(path) for path in snakemake.input.get(name, [])] for name in ("students", "steps")
    )
    points = pd.read_parquet(snakemake.input.points)
    checks = law_checks(pd.concat(students) if students else None, pd.concat(steps), points)
    write_parquet(checks, snakemake.output.checks)
    bases = {seed: Policy.load(path) for seed, path in zip(snakemake.params.seeds, snakemake.input.bases, strict=True)}
    tasks = load(Path(snakemake.input.data), snakemake.params.pixels)
    write_parquet(bases_table(bases, tasks, points), snakemake.output.bases)
    print(checks[["claim", "quantity", "parameters", "measured", "low", "high", "state"]].to_string(index=False))

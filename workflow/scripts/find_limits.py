"""Images and a base policy → curves and checks on two limits."""

from pathlib import Path

from forgetting.data import load
from forgetting.jobs import logged
from forgetting.limits import limits
from forgetting.policy import Policy
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    params = snakemake.params
    tasks = load(Path(snakemake.input.data), params.pixels, digits=params.digits)
    found = limits(Policy.load(snakemake.input.base), tasks, params.base_seeds, **params.settings)
    write_parquet(found.curves, snakemake.output.curves)
    write_parquet(found.checks, snakemake.output.checks)

"""Base policy → points of one method's trainings."""

from pathlib import Path

from forgetting import registry
from forgetting.data import load
from forgetting.finetuning import Start, finetune_grid
from forgetting.jobs import logged
from forgetting.policy import Policy
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    folder = snakemake.output.get("checkpoints")
    tasks = load(Path(snakemake.input.data), snakemake.params.pixels)
    points = finetune_grid(
        Start.of(Policy.load(snakemake.input.base), tasks, snakemake.params.accuracy),
        tasks,
        registry.load(snakemake.params.objective, snakemake.params.options),
        method=snakemake.wildcards.method,
        base_seed=int(snakemake.wildcards.base_seed),
        rates=snakemake.params.rates,
        inner=snakemake.params.inner,
        checkpoint_folder=Path(folder) if folder else None,
        **snakemake.params.settings,
    )
    write_parquet(points, snakemake.output.points)

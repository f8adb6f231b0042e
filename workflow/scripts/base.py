"""data.npz → one base policy."""

from pathlib import Path

from forgetting.base import pretrain
from forgetting.data import load
from forgetting.jobs import logged
from forgetting.training import use_threads

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    tasks = load(Path(snakemake.input.data), snakemake.params.pixels)
    pretrain(tasks, int(snakemake.wildcards.base_seed), **snakemake.params.settings).save(snakemake.output[0])

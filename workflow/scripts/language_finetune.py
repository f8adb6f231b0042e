"""One base of the language line → points and measures of every training of every method from it."""

from forgetting.jobs import logged
from forgetting.language.finetuning import finetune_grid
from forgetting.language.jobs import baseline, quiet
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    quiet()
    start = baseline(snakemake.input.folder, int(snakemake.wildcards.base.split("-")[1]), **snakemake.params.tasks)
    frames = finetune_grid(start, snakemake.params.methods, rates=snakemake.params.rates, **snakemake.params.settings)
    for frame, path in zip(frames, snakemake.output, strict=True):
        write_parquet(frame.assign(base=snakemake.wildcards.base), path)

"""Nothing, or a model's name → one base of the language line, and whether it is one to fine-tune."""

from forgetting.jobs import logged
from forgetting.language.jobs import baseline, quiet
from forgetting.language.model import load, save
from forgetting.language.pretraining import conditions, pretrain
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    quiet()
    base, model = snakemake.wildcards.base, snakemake.params.model
    base_seed = int(base.split("-")[1])
    made = pretrain(base_seed, **snakemake.params.pretraining) if model == "scratch" else load(model)
    save(*made, snakemake.output.folder)
    found = conditions(baseline(snakemake.output.folder, base_seed, **snakemake.params.tasks), model == "scratch")
    write_parquet(found.assign(base=base, model=model), snakemake.output.conditions)
    print(found.to_string(index=False))

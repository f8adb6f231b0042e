"""A notebook with its inputs and outputs as parameters → figures and the executed notebook."""

from forgetting.jobs import logged
from forgetting.notebooks import execute

with logged(snakemake.log.log):
    inputs = {name: path for name, path in snakemake.input.items() if name not in ("notebook", "code")}
    execute(snakemake.input.notebook, snakemake.log.notebook, {**inputs, **dict(snakemake.output.items())})

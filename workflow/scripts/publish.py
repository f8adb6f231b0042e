"""Files of a run → results/published."""

from pathlib import Path

from forgetting.jobs import logged
from forgetting.kept import named, publish

with logged(snakemake.log[0]):
    files = named(snakemake.input.files)
    publish(files, Path(snakemake.params.published), snakemake.params.config)
    print(f"{len(files)} files kept in {snakemake.params.published}")

"""Files of a run → results/published."""

from pathlib import Path

from forgetting.jobs import logged
from forgetting.kept import publish

with logged(snakemake.log[0]):
    results = Path(snakemake.params.results)
    names = [str(Path(file).relative_to(results)) for file in snakemake.input.files]
    publish(names, results, Path(snakemake.params.published), snakemake.params.config)
    print(f"{len(names)} files kept in {snakemake.params.published}")

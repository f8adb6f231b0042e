"""Raw images → data.npz."""

from pathlib import Path

from forgetting.data import prepare
from forgetting.jobs import logged

with logged(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    folder = settings.pop("folder")
    prepare(Path(snakemake.output[0]), folder=Path(folder) if folder else None, cache=Path("downloads"), **settings)

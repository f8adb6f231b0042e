"""Files of a run → ro-crate-metadata.json."""

from pathlib import Path

import yaml

from forgetting.crate import crate
from forgetting.jobs import logged
from forgetting.whole import write_text

with logged(snakemake.log[0]):
    citation = yaml.safe_load(Path(snakemake.input.citation).read_text())
    described = crate(map(Path, snakemake.input.files), Path(snakemake.output[0]).parent, citation)
    write_text(described, snakemake.output[0])

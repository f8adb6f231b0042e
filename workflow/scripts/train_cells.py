"""Images → points of some cells of the multiverse."""

from pathlib import Path

import pandas as pd

from forgetting.cells import cell_points
from forgetting.jobs import logged
from forgetting.training import use_threads
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    use_threads(snakemake.threads)
    points = cell_points(snakemake.params.cells, Path(snakemake.input.data))
    write_parquet(pd.concat(points, ignore_index=True), snakemake.output[0])

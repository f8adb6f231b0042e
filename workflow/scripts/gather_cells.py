"""Points of all cells of the multiverse, as one table."""

import pandas as pd

from forgetting.completeness import gathered_cells
from forgetting.jobs import logged
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    parts = [pd.read_parquet(path) for path in snakemake.input.parts]
    write_parquet(gathered_cells(parts, snakemake.params.points), snakemake.output[0])

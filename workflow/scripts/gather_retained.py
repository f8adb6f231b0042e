"""Points of each method that holds on to the old task → one table."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    write_parquet(pd.concat(map(pd.read_parquet, snakemake.input.parts), ignore_index=True), snakemake.output[0])

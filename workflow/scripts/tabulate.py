"""A frame that took work → its table."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.tables import write

with logged(snakemake.log[0]):
    write(pd.read_parquet(snakemake.input.frame), snakemake.output[0])

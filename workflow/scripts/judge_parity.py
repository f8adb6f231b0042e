"""Points and what was fitted to them → checks of the claims on the parity line."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.parity_claims import parity_checks
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    tables = [pd.read_csv(snakemake.input[name]) for name in ("r2", "differences", "published")]
    write_parquet(parity_checks(pd.read_parquet(snakemake.input.points), *tables), snakemake.output[0])

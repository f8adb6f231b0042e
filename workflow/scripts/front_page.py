"""Claims ledger and R² → front page of the report."""

import pandas as pd

from forgetting.headline import law
from forgetting.jobs import logged
from forgetting.summary import restructured
from forgetting.whole import write_text

with logged(snakemake.log[0]):
    claims = pd.read_csv(snakemake.input.claims)
    write_text(restructured(claims, law(pd.read_csv(snakemake.input.r2))), snakemake.output[0])

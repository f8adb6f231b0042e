"""Checks of a line of evidence → the table "predicted against measured", and the verdicts on its claims."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.tables import claim_cells, published_claims, write, write_latex
from forgetting.verdicts import verdicts

with logged(snakemake.log[0]):
    checks = pd.concat(map(pd.read_parquet, snakemake.input.checks), ignore_index=True)
    published = published_claims(snakemake.input.published, snakemake.params.line)
    claims = published.merge(verdicts(checks, snakemake.params.claims), on="id")
    write(checks, snakemake.output.checks)
    write(claims, snakemake.output.claims)
    write_latex(claim_cells(claims), snakemake.output.tex, column_format=r"lp{0.3\textwidth}p{0.22\textwidth}lll")
    print(claims[["id", "ours", "parts", "verdict"]].to_string(index=False))

"""Checks of every line → the claims ledger, and the table "predicted against measured"."""

import pandas as pd

from forgetting.claims import COLUMN_FORMAT, claim_cells, gather, ledger, published_claims
from forgetting.jobs import logged
from forgetting.kept import named
from forgetting.tables import write, write_latex

with logged(snakemake.log[0]):
    checks = gather({name: pd.read_parquet(path) for name, path in named(snakemake.input.checks).items()})
    claims = ledger(published_claims(snakemake.input.published), checks, snakemake.params.preset)
    write(checks, snakemake.output.checks)
    write(claims, snakemake.output.claims)
    for line, tex in zip(snakemake.params.lines, snakemake.output.tex, strict=True):
        cells = claim_cells(claims[claims["line"] == line])
        write_latex(claim_cells(claims[claims["line"] == line]), tex, COLUMN_FORMAT)
    print(claims[["id", "ours", "parts", "verdict"]].to_string(index=False))

"""Points of the methods that hold on to the old task, and of the parity line → tables and checks."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.retention import kept_cells, kept_table, out_of_sample, retention_checks
from forgetting.tables import write, write_latex
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    points = pd.read_parquet(snakemake.input.points)
    kept = kept_table(points)
    unseen = out_of_sample(pd.read_parquet(snakemake.input.law), points)
    write(kept, snakemake.output.kept)
    write_latex(kept_cells(kept, unseen), snakemake.output.tex, column_format="lccccl")
    write(unseen, snakemake.output.out_of_sample)
    write_parquet(retention_checks(points), snakemake.output.checks)

"""The shipped study of intervals → its table."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.tables import coverage_cells, coverage_table, write, write_latex

with logged(snakemake.log[0]):
    table = coverage_table(pd.read_csv(snakemake.input.study))
    write(table, snakemake.output.csv)
    write_latex(coverage_cells(table), snakemake.output.tex, column_format="l" + "r" * (len(table.columns) - 1))

"""Exact questions on anchors → the table of published, exact and descended values."""

from forgetting.anchors.experiments import exact_cells, exact_table
from forgetting.jobs import logged
from forgetting.tables import write, write_latex

with logged(snakemake.log[0]):
    table = exact_table()
    write(table, snakemake.output.csv)
    write_latex(exact_cells(table), snakemake.output.tex, column_format="llrrr")

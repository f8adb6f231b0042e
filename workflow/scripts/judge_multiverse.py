"""Points of all cells → universes, choices and what they come to."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.multiverse import choice_cells, choices_table, multiverse_table, published_outcomes, summary
from forgetting.tables import write, write_latex

with logged(snakemake.log[0]):
    table = multiverse_table(pd.read_parquet(snakemake.input.points), snakemake.params.universes)
    choices = choices_table(table)
    published = published_outcomes(pd.read_csv(snakemake.input.r2), pd.read_csv(snakemake.input.matched))
    write(table, snakemake.output.universes)
    write(choices, snakemake.output.choices)
    write_latex(choice_cells(choices), snakemake.output.tex, column_format="llccc")
    write(summary(table, choices, published), snakemake.output.summary)

"""R² table and published values → the table of predictors."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.tables import predictor_cells, predictors, write, write_latex

with logged(snakemake.log[0]):
    table = predictors(pd.read_csv(snakemake.input.r2), pd.read_csv(snakemake.input.published))
    write(table, snakemake.output.csv)
    write_latex(predictor_cells(table), snakemake.output.tex, column_format="lccccc")

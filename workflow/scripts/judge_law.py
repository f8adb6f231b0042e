"""Points → how well the law predicts what it has not seen, what it leaves over, and accuracy at matched parity."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.matched import matched_accuracy, matched_table
from forgetting.predictive import held_out_table, residual_table
from forgetting.regression import r2_differences
from forgetting.tables import write

with logged(snakemake.log[0]):
    points = pd.read_parquet(snakemake.input.points)
    write(held_out_table(points), snakemake.output.held_out)
    write(residual_table(points), snakemake.output.residuals)
    write(r2_differences(points, "forward_kl_new"), snakemake.output.differences)
    matched, published = matched_table(matched_accuracy(points)), pd.read_csv(snakemake.input.published)
    write(matched.merge(published, on=["method", "parity_accuracy"], how="left"), snakemake.output.matched)

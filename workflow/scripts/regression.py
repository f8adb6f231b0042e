"""Points → R² table, fitted curve, frontier."""

import pandas as pd

from forgetting import seeds
from forgetting.frontier import select
from forgetting.jobs import logged
from forgetting.regression import fitted_curve, r2_table
from forgetting.tables import write
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    points = pd.read_parquet(snakemake.input.points)
    table = r2_table(points, seeds.numpy_generator("regression"), resamples=snakemake.params.resamples)
    write(table, snakemake.output.r2)
    frames = {"curve": fitted_curve(points, "forward_kl_new"), "frontier": select(points, "frontier")}
    for name, frame in frames.items():
        write_parquet(frame, snakemake.output[name])

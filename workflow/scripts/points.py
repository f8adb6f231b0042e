"""Points of every job → one table."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.points import gather, training_name
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    expected = {training_name(*training) for training in snakemake.params.trainings}
    points = gather(map(pd.read_parquet, snakemake.input.parts), expected, snakemake.params.checkpoints)
    write_parquet(points, snakemake.output[0])
    print(f"{len(points)} points of {len(expected)} trainings, {points.diverged.sum()} diverged")

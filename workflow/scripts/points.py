"""Points of every job → one table."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.points import gather, training_name
from forgetting.whole import whole_file

with logged(snakemake.log[0]):
    expected = {training_name(*training) for training in snakemake.params.trainings}
    points = gather(map(pd.read_parquet, snakemake.input.parts), expected, snakemake.params.checkpoints)
    with whole_file(snakemake.output[0]) as partial:
        points.to_parquet(partial, index=False)
    print(f"{len(points)} points of {len(expected)} trainings, {points.diverged.sum()} diverged")

"""Points and measures of every base → one table each; those of unready bases apart."""

import pandas as pd

from forgetting.jobs import logged
from forgetting.language.points import gather, training_name
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    parts = pd.concat(map(pd.read_parquet, snakemake.input.points), ignore_index=True)
    for kind, path in {"ready": snakemake.output.ready, "unready": snakemake.output.unready}.items():
        expected = {training_name(*training) for training in snakemake.params.trainings[kind]}
        points = gather([parts[parts["base"].str.startswith(kind)]], expected, snakemake.params.checkpoints)
        write_parquet(points, path)
        print(f"{kind}: {len(points)} points of {len(expected)} trainings, {points.diverged.sum()} diverged")
    for name in ("measures", "conditions"):
        frames = map(pd.read_parquet, snakemake.input[name])
        write_parquet(pd.concat(frames, ignore_index=True), snakemake.output[name])

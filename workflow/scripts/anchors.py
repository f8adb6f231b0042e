"""Exact questions on anchors → curves and checks; ways to a new task → the picture on the simplex."""

from forgetting.anchors.experiments import run
from forgetting.anchors.simplex import picture
from forgetting.jobs import logged
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    result = run(snakemake.params.seed)
    for name, frame in {**result._asdict(), "simplex": picture()}.items():
        write_parquet(frame, snakemake.output[name])
    print(f"{result.checks['agrees'].sum()} of {len(result.checks)} predictions met")

"""One family of mixture experiments → curves and checks."""

from forgetting.jobs import logged
from forgetting.mixture.experiments import run
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    result = run(snakemake.wildcards.family, snakemake.params.seed, snakemake.params.sizes)
    for name, frame in result._asdict().items():
        write_parquet(frame, snakemake.output[name])
    print(f"{result.checks['agrees'].sum()} of {len(result.checks)} predictions met")

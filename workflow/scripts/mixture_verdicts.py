"""Checks of every family → table "predicted against measured", and the verdicts on M1 to M13."""

import pandas as pd
from forgetting.jobs import logged
from forgetting.whole import whole_file

from forgetting.mixture.verdicts import verdicts

with logged(snakemake.log[0]):
    checks = pd.concat([pd.read_parquet(part) for part in snakemake.input.parts], ignore_index=True)
    judged = verdicts(checks)
    for name, frame in {"table": checks, "verdicts": judged}.items():
        with whole_file(snakemake.output[name]) as partial:
            frame.to_csv(partial, index=False)
    print(judged[["id", "ours", "parts", "verdict"]].to_string(index=False))

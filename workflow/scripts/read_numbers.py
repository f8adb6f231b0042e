"""Tables of a run → numbers.tex."""

from pathlib import Path

import pandas as pd

from forgetting.jobs import logged
from forgetting.numbers import macros, places, tex
from forgetting.whole import write_text

with logged(snakemake.log[0]):
    named = places(snakemake.input.places)
    found = macros(named, Path(snakemake.output[0]).parent, snakemake.params.config)
    write_text(tex(found, named, pd.read_csv(snakemake.input.claims)), snakemake.output[0])

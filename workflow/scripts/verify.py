"""Files of a run beside results/published → what moved, on the terminal; fails when something moved too far."""

import os
import sys
from pathlib import Path

from forgetting.comparison import verify
from forgetting.jobs import logged
from forgetting.kept import named

terminal = os.dup(sys.stdout.fileno())
with logged(snakemake.log[0]):
    files = named(snakemake.input.files)
    text, within = verify(files, Path(snakemake.params.published), snakemake.params.config)
    print(text)
    if not within:
        sys.exit(1)  # Snakemake prints the log
os.write(terminal, f"{text}\n".encode())

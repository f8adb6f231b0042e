"""Everything that `pages` names → one HTML file, by Snakemake's own report in a process of its own."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from forgetting.jobs import logged
from forgetting.whole import whole_file

with logged(snakemake.log[0]), tempfile.TemporaryDirectory() as folder:
    config = Path(folder, "config.json")
    config.write_text(json.dumps(snakemake.params.config))
    asked = ["pages", "--nolock", "--configfile", str(config)]
    with whole_file(snakemake.output[0]) as partial:
        subprocess.run([sys.executable, "-m", "snakemake", *asked, "--report", str(partial)], check=True)

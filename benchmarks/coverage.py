"""Measure how often each interval covers the truth, and write the table that `forgetting.intervals` reads.

`python benchmarks/coverage.py` makes the shipped table (ten to twenty minutes); `--data-sets 50 --out FILE` a
quick one. The last line printed is one JSON object: the lowest coverage of each interval by number of base
seeds.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from forgetting.coverage import study
from forgetting.intervals import STUDY
from forgetting.tables import write


def main() -> None:
    """Run the study and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=1000, help="data sets a law (1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulation (0)")
    parser.add_argument("--out", type=Path, default=STUDY, help="CSV to write (the shipped one)")
    options = parser.parse_args()
    table = study(options.data_sets, np.random.default_rng(options.seed))
    write(table, options.out)
    lowest = table[table["quantity"] == "all"].groupby(["interval", "seeds"])["coverage"].min()
    print(json.dumps({name: cell.droplevel(0).to_dict() for name, cell in lowest.groupby(level=0)}))


if __name__ == "__main__":
    main()

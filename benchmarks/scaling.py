"""What a second core is worth: the parity line up to its points, with one core and with two.

    python benchmarks/scaling.py                                    # the default preset: 10 minutes or so
    python benchmarks/scaling.py --configfile config/smoke.yaml     # arguments as for snakemake

For each: wall time, CPU time of everything that ran, wall time in the jobs by their own benchmark files, and
Snakemake's own share: with one core the wall time in which no job ran. The speed-up is the ratio of the wall times, so
it wants a quiet machine; the ratio of CPU time to wall time says how many cores there were. The last line is one JSON
object. Results go to results/scaling-*, and are removed.
"""

import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def children() -> float:
    """CPU seconds of all processes that this one waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_jobs(benchmarks: Path) -> list[float]:
    """Wall seconds of every job."""
    return [float(next(csv.DictReader(file.open(), delimiter="\t"))["s"]) for file in benchmarks.rglob("*.tsv")]


def run(cores: int, arguments: list[str]) -> dict[str, float]:
    """One run from nothing."""
    preset = f"scaling-{cores}"
    results = ROOT / "results" / preset
    shutil.rmtree(results, ignore_errors=True)
    command = [sys.executable, "-m", "snakemake", f"results/{preset}/points.parquet", "--cores", str(cores)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    before, start = children(), time.perf_counter()
    subprocess.run(
        [*command, *arguments, "--config", f"preset={preset}"],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
    )
    wall, cpu = time.perf_counter() - start, children() - before
    jobs = in_jobs(results / "benchmarks")
    shutil.rmtree(results)
    found = {"wall_s": wall, "cpu_s": cpu, "jobs": len(jobs), "jobs_s": sum(jobs)}
    return {name: round(value, 1) for name, value in found.items()}


def main(arguments: list[str]) -> None:
    """Print the comparison."""
    one, two = run(1, arguments), run(2, arguments)
    share = 1 - one["jobs_s"] / one["wall_s"]
    speed_up = one["wall_s"] / two["wall_s"]
    comparison = {"1": one, "2": two, "snakemake_share": round(share, 3), "speed_up": round(speed_up, 2)}
    print(json.dumps(comparison))


if __name__ == "__main__":
    main(sys.argv[1:])

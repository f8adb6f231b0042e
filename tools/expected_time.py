"""How long a preset takes on so many cores, from the time that each job was measured to take.

    python tools/expected_time.py [finetune×15 …] --configfile config/paper.yaml      # arguments as for snakemake

Reads what a forced dry run says of every job (what it reads and writes, its threads, its benchmark file) and the wall
time in those files, and starts jobs as a scheduler would: whenever cores are free, the ready job with the longest way
still before it (list scheduling). A job costs its wall time, so measure where nothing else runs (the CPU time in these
files is sampled twice a minute and misses a job's end), plus a second of Snakemake's own. Jobs that were never measured
take the mean of their rule, and a rule that was measured on a part of its grid takes so many times as long
(finetune×15). One JSON object.
"""

import csv
import heapq
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

CORES, OVERHEAD = (1, 2, 16, 64), 1.0


@dataclass(frozen=True)
class Job:
    """A job of the dry run: its rule, the files it reads and writes, its cores and its benchmark file."""

    rule: str
    reads: frozenset[str]
    writes: frozenset[str]
    threads: int
    benchmark: Path | None


def jobs(dry_run: str) -> list[Job]:
    """Jobs in the text of a dry run."""
    found = []
    for block in re.split(r"\n(?=(?:local)?rule |checkpoint )", dry_run)[1:]:
        fields = dict(re.findall(r"^    (\w+): (.*)$", block, re.M))
        files = [frozenset(fields.get(name, "").split(", ")) - {""} for name in ("input", "output")]
        rule = block.split(":", 1)[0].split()[1]
        benchmark = Path(fields["benchmark"]) if "benchmark" in fields else None
        found.append(Job(rule, *files, int(fields.get("threads", 1)), benchmark))
    return found


def measured(file: Path | None) -> float | None:
    """Wall seconds in a benchmark file."""
    if file is None or not file.is_file():
        return None
    row = next(csv.DictReader(file.open(), delimiter="\t"))
    return float(row["s"])


def durations(work: Sequence[Job]) -> list[float]:
    """Seconds of each job; one that was never measured takes the mean of its rule, or nothing."""
    seconds = [measured(job.benchmark) for job in work]
    of_rule: dict[str, list[float]] = {}
    for job, time in zip(work, seconds, strict=True):
        if time is not None:
            of_rule.setdefault(job.rule, []).append(time)
    known = {rule: mean(times) for rule, times in of_rule.items()}
    return [time if time is not None else known.get(j.rule, 0.0) for j, time in zip(work, seconds, strict=True)]


def makespan(after: Sequence[Sequence[int]], times: Sequence[float], threads: Sequence[int], cores: int) -> float:
    """Seconds until all jobs are done on `cores`; `after[i]` are the jobs that wait for job i, earlier ones first."""
    way = list(times)
    for i in reversed(order(after)):
        way[i] = times[i] + max((way[j] for j in after[i]), default=0.0)
    waits = [0] * len(times)
    for followers in after:
        for j in followers:
            waits[j] += 1
    ready = [(-way[i], i) for i, count in enumerate(waits) if not count]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now, free = 0.0, cores
    while ready or running:
        while ready and min(threads[ready[0][1]], cores) <= free:
            _, i = heapq.heappop(ready)
            free -= min(threads[i], cores)
            heapq.heappush(running, (now + times[i], i))
        now, i = heapq.heappop(running)
        free += min(threads[i], cores)
        for j in after[i]:
            waits[j] -= 1
            if not waits[j]:
                heapq.heappush(ready, (-way[j], j))
    return now


def order(after: Sequence[Sequence[int]]) -> list[int]:
    """Jobs, each before those that wait for it."""
    seen: set[int] = set()
    found: list[int] = []

    def visit(i: int) -> None:
        if i not in seen:
            seen.add(i)
            for j in after[i]:
                visit(j)
            found.append(i)

    for i in range(len(after)):
        visit(i)
    return found[::-1]


def main(arguments: list[str]) -> None:
    """Print the minutes on each number of cores."""
    factors = {rule: float(factor) for rule, x, factor in (a.partition("×") for a in arguments) if x}
    arguments = [argument for argument in arguments if "×" not in argument]
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--forceall", *arguments]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    work = jobs(said)
    times = [time * factors.get(job.rule, 1) + OVERHEAD for job, time in zip(work, durations(work), strict=True)]
    after = [[j for j, other in enumerate(work) if other.reads & job.writes] for job in work]
    threads = [job.threads for job in work]
    minutes = {str(cores): round(makespan(after, times, threads, cores) / 60, 1) for cores in CORES}
    missing = sum(job.benchmark is not None and measured(job.benchmark) is None for job in work)
    print(json.dumps({"jobs": len(work), "not_measured": missing, "job_s": round(sum(times)), "minutes": minutes}))


if __name__ == "__main__":
    main(sys.argv[1:])

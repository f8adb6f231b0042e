"""What `make paper` starts: Snakemake, once a folder, after clearing away what a killed run left.

    python -m forgetting.run --cores all …        # arguments as for snakemake

The run holds a lock on .snakemake/run.lock, which the system takes back when the process ends, however it ends. Whoever
gets that lock knows that no other run is at work, so what it finds is left over: jobs that outlived their run, here or
in Slurm's queue, would write what the new jobs write, and are ended; half-written files are removed; Snakemake's own
lock, which would refuse the new run, is released.
"""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from forgetting.whole import remove_partials

MARK = "FORGETTING_RUN"  # in the environment of a run and of all its jobs: the folder that it works in
PREFIX = "forgetting_"  # of the names of a run's jobs in Slurm's queue
SNAKEMAKE = [sys.executable, "-m", "snakemake"]


class RunError(Exception):
    """The run cannot start; the message is one sentence for the user."""


def claim(folder: Path) -> int:
    """File descriptor that holds the folder's lock for as long as it is open, also across exec.

    Raises RunError when another run holds it, or when the folder cannot be written to.
    """
    file = folder / ".snakemake" / "run.lock"
    try:
        file.parent.mkdir(exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as fault:
        raise RunError(f"{file} cannot be written ({fault.strerror}): run in a folder of yours.") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunError(f"Another run is at work in {folder} ({file.read_text().strip()}): wait for it.") from None
    except OSError as fault:
        raise RunError(f"{file} cannot be locked ({fault.strerror}): run on a file system that has locks.") from None
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
    os.set_inheritable(descriptor, True)
    return descriptor


def processes() -> Iterator[Path]:
    """/proc entries of the other processes; none on a system without /proc."""
    entries = Path("/proc").glob("[0-9]*") if Path("/proc/self/environ").exists() else iter(())
    return (entry for entry in entries if entry.name != str(os.getpid()))


def orphans(folder: Path) -> list[int]:
    """Processes that a run in this folder started, and that are still there."""
    mark = f"{MARK}={folder}".encode()
    found = []
    for entry in processes():
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:  # it ended, or belongs to somebody else
            continue
    return found


def plain_run(folder: Path) -> int | None:
    """Process of a Snakemake in this folder that was started by hand, for which our lock means nothing.

    What Snakemake starts for a job names its mode; it is no run, though on a cluster it may outlive its own.
    """
    for entry in processes():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            here = (entry / "cwd").resolve() == folder
        except OSError:
            continue
        snakemake = words[1:3] == [b"-m", b"snakemake"] or any(word.endswith(b"/snakemake") for word in words[:2])
        if here and snakemake and b"--mode" not in words:
            return int(entry.name)
    return None


def end_orphans(folder: Path, patience: float = 20) -> int:
    """Kill what outlived its run on this machine; how many there were."""
    found = orphans(folder)
    for process in found:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    limit = time.monotonic() + patience
    while orphans(folder):
        if time.monotonic() > limit:
            raise RunError(f"Jobs of a killed run do not end (processes {orphans(folder)}): end them, and run again.")
        time.sleep(0.1)
    return len(found)


def queued(folder: Path) -> list[str]:
    """Slurm's numbers of this folder's jobs in the queue; raises RunError when Slurm does not answer."""
    asked = ["squeue", f"--user={os.getuid()}", "--noheader", "--format=%i|%j|%Z"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RunError(f"Slurm does not say whether a killed run left jobs here ({answer.stderr.strip()}): try again.")
    rows = [line.split("|", 2) for line in answer.stdout.splitlines()]
    return [number for number, name, where in rows if name.startswith(PREFIX) and Path(where).resolve() == folder]


def cancel_queued(folder: Path, patience: float = 120) -> int:
    """Cancel the Slurm jobs of a killed run, and wait until they are gone; how many there were."""
    if not (folder / ".snakemake/slurm_logs").is_dir() or not shutil.which("squeue"):
        return 0
    found = queued(folder)
    if found:
        subprocess.run(["scancel", *found], check=False)
    limit = time.monotonic() + patience
    while left := queued(folder):
        if time.monotonic() > limit:
            raise RunError(f"Slurm jobs of a killed run do not end ({', '.join(left)}): cancel them, and run again.")
        time.sleep(1)
    return len(found)


def clear(folder: Path, arguments: list[str]) -> None:
    """End, remove and release what a killed run left in the folder. Only for the holder of its lock."""
    if plain := plain_run(folder):
        raise RunError(f"A Snakemake that was started by hand is at work in {folder} (process {plain}): wait for it.")
    for count, what in ((cancel_queued(folder), "jobs in Slurm's queue"), (end_orphans(folder), "processes")):
        if count:
            print(f"Ended {count} {what} that a killed run left.", file=sys.stderr)
    if any((folder / ".snakemake/locks").glob("*.lock")):
        print("A killed run left this folder locked: unlocking, and going on where it was.", file=sys.stderr)
        remove_partials(folder / "results")
        subprocess.run([*SNAKEMAKE, *arguments, "--unlock", "--quiet"], check=True)


def main(arguments: list[str]) -> NoReturn:
    """Claim the folder, clear it, and become Snakemake."""
    folder = Path.cwd().resolve()
    os.environ.pop(MARK, None)
    try:
        claim(folder)
        clear(folder, arguments)
    except RunError as fault:
        sys.exit(str(fault))
    except subprocess.CalledProcessError as fault:
        sys.exit(fault.returncode)  # Snakemake has said why
    os.environ[MARK] = str(folder)
    os.execv(SNAKEMAKE[0], [*SNAKEMAKE, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])

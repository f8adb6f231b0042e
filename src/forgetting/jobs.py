"""What every job does around its work: write to its log, and say in one sentence what the user can mend."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from forgetting.sources import DataError
from forgetting.whole import WriteError

EXPECTED = (DataError, WriteError, ArithmeticError, ValueError)


@contextmanager
def logged(path: str) -> Iterator[None]:
    """Send what the block prints to the file at `path`, and end the job with one sentence on an expected fault.

    On a full disk the log may not hold that sentence, so it goes to the terminal too.
    """
    terminal = os.dup(sys.stderr.fileno())
    with open(path, "w", buffering=1) as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    try:
        yield
    except EXPECTED as fault:
        if isinstance(fault, WriteError):
            os.write(terminal, f"\nfailed: {fault}\n".encode())
        elif not isinstance(fault, DataError):
            sys.excepthook(*sys.exc_info())
        with suppress(OSError):
            print(f"\nfailed: {fault}", file=sys.stderr, flush=True)
        sys.exit(1)

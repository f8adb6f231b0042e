"""One tree of random generators: a generator is named by its path, and nothing draws from global state.

`generator("finetuning", 3, "order")` is always the same stream, whatever else was drawn before it and in whatever
order the jobs run. Streams are drawn on the CPU, so that a GPU run sees the same data order and the same samples.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch


def seed(*path: str | int | float) -> int:
    """Seed in [0, 2**63) of the node at `path`; different paths give independent streams."""
    if not path:
        raise ValueError("A generator needs a path: name what it is for, for example seed('base', 0, 'weights').")
    digest = sha256("\x1f".join(map(str, path)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def generator(*path: str | int | float) -> "torch.Generator":
    """CPU torch generator at `path`."""
    import torch  # the mixture line draws from this tree too, and does without torch

    return torch.Generator("cpu").manual_seed(seed(*path))


def numpy_generator(*path: str | int | float) -> np.random.Generator:
    """NumPy generator at `path`."""
    return np.random.default_rng(seed(*path))


@contextmanager
def seeded(*path: str | int | float) -> Iterator[None]:
    """Within the block, libraries that know only torch's global generator draw from the stream at `path`.

    Outside of it, that generator is as if the block had not been.
    """
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed(*path))
        yield

"""Named random streams: a family's draws depend on its seed and its own name, never on what ran before it."""

from hashlib import sha256

import numpy as np


def stream(seed: int, *path: str) -> np.random.Generator:
    """Generator of the node `path` under `seed`; different paths give independent streams."""
    words = np.frombuffer(sha256("/".join(path).encode()).digest()[:16], dtype=np.uint32)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(int(w) for w in words)))

"""Finite batches without a gradient: starvation, and maximum-likelihood refits on own samples."""

import numpy as np

from forgetting.mixture.densities import Array, expit, logit, sample


def starved_share(rng: np.random.Generator, batches: int, n: int, beta: float, share: float) -> float:
    """Share of batches of n in which no sample came from the old component, a share λ being replayed."""
    replayed = rng.random((batches, n)) < share
    _, own_old = sample(rng, n, np.full(batches, logit(beta)), 0.0, 1.0)
    return float((~(replayed | own_old).any(-1)).mean())


def own_sample_fits(rng: np.random.Generator, chains: int, n: int, b0: float, delta: float, generations: int) -> Array:
    """β of shape (generations+1, chains): each generation refits the weight (one EM step) to own samples."""
    beta = np.full(chains, b0)
    path = [beta]
    for _ in range(generations):
        old = rng.random((chains, n)) < beta[:, None]
        x = rng.standard_normal((chains, n)) + delta * ~old
        with np.errstate(divide="ignore"):
            odds = logit(np.clip(beta, 0, 1))[:, None] + delta * (delta / 2 - x)
        beta = expit(odds).mean(-1)
        path.append(beta)
    return np.stack(path)


def first_passage(path: Array, level: Array | float) -> Array:
    """First index at which each chain of `path` (steps, chains) is at or above `level`; NaN when never."""
    reached = path >= level
    return np.where(reached.any(0), reached.argmax(0), np.nan)

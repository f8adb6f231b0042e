"""The toy of Chen et al. (arXiv 2510.18874; 8): two modes, and learning rates that protect the old one.

Setting and update rules as in its public simulation; "reverse" samples the learner's NEW component only, so
that both learners look at the new mode alone, and what protects the old one is the factor on its learning
rates.
"""

from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

from forgetting.mixture.densities import Array

TARGET = (0.75, -3.0, 1.0, 3.5, 0.7)  # weight of the old mode, old mean and spread, new mean and spread
LEARNER = (0.75, -3.5, 1.0, 0.5, 0.7)
TEMPERATURE = 0.1  # divides the density ratio inside the reward's logarithm
SMALLEST = 1e-3  # clip of the weight and of the spreads

Rule = Literal["forward", "reverse"]


class Path(NamedTuple):
    """Overlap areas of the old and the new mode, each of shape (steps+1, seeds)."""

    old: Array
    new: Array


def _density(x: Array, m: Array, s: Array) -> Array:
    return np.asarray(np.exp(-0.5 * ((x - m) / s) ** 2) / (s * np.sqrt(2 * np.pi)))


def overlap(w_p: float, m_p: float, s_p: float, w_q: Array, m_q: Array, s_q: Array) -> Array:
    """∫min(w_p p, w_q q)dx / w_p of Gaussian modes, exactly, from where the two cross; shape of w_q."""
    lead = 0.5 / s_q**2 - 0.5 / s_p**2
    middle = m_p / s_p**2 - m_q / s_q**2
    rest = 0.5 * m_q**2 / s_q**2 - 0.5 * m_p**2 / s_p**2 + np.log(w_p * s_q / (w_q * s_p))
    lead = np.where(np.abs(lead) < 1e-9, 1e-9, lead)
    root = np.sqrt(np.maximum(middle**2 - 4 * lead * rest, 0.0))
    cuts = np.sort(np.stack([(-middle - root) / (2 * lead), (-middle + root) / (2 * lead)]), axis=0)
    edges = [np.full_like(w_q, -np.inf), cuts[0], cuts[1], np.full_like(w_q, np.inf)]
    area = np.zeros_like(w_q)
    for left, right in pairwise(edges):
        mass_p = w_p * (ndtr((right - m_p) / s_p) - ndtr((left - m_p) / s_p))
        mass_q = w_q * (ndtr((right - m_q) / s_q) - ndtr((left - m_q) / s_q))
        area = area + np.minimum(mass_p, mass_q)
    return np.asarray(area / w_p)


def _overlaps(theta: Array) -> tuple[Array, Array]:
    w, m_o, s_o, m_n, s_n = theta
    w_p, m_op, s_op, m_np, s_np = TARGET
    return overlap(w_p, m_op, s_op, w, m_o, s_o), overlap(1 - w_p, m_np, s_np, 1 - w, m_n, s_n)


def _scores(x: Array, theta: Array) -> tuple[Array, Array]:
    """∂ log q/∂(w, m_o, s_o, m_n, s_n) at x, shape (5, seeds, n), and the share of the new component."""
    w, m_o, s_o, m_n, s_n = theta[..., None]
    q_o, q_n = _density(x, m_o, s_o), _density(x, m_n, s_n)
    q = w * q_o + (1 - w) * q_n
    r_o, r_n = w * q_o / q, (1 - w) * q_n / q
    z_o, z_n = (x - m_o) / s_o, (x - m_n) / s_n
    rows = [
        (q_o - q_n) / q,
        r_o * z_o / s_o,
        r_o * (z_o**2 - 1) / s_o,
        r_n * z_n / s_n,
        r_n * (z_n**2 - 1) / s_n,
    ]
    return np.stack(rows), r_n


def ascent(rng: np.random.Generator, rule: Rule, theta: Array, samples: int) -> Array:
    """One noisy ascent direction, shape (5, seeds).

    forward: mean score over samples of the target's new component. reverse: samples of the learner's own,
    reward log(p₂/((1−w)q₂)/0.1) without a baseline, weighted by q/((1−w)q₂).
    """
    noise = rng.standard_normal((theta.shape[1], samples))
    w, _, _, m_n, s_n = theta[..., None]
    if rule == "forward":
        scores, _ = _scores(TARGET[3] + TARGET[4] * noise, theta)
        return np.asarray(scores.mean(-1))
    x = m_n + s_n * noise
    scores, r_n = _scores(x, theta)
    log_ratio = np.log(s_n / TARGET[4]) - 0.5 * ((x - TARGET[3]) / TARGET[4]) ** 2 + 0.5 * noise**2
    reward = log_ratio - np.log((1 - w) * TEMPERATURE)
    return np.asarray((reward / r_n * scores).mean(-1))


def train(
    rng: np.random.Generator,
    rule: Rule,
    learning_rate: float,
    seeds: int,
    slow_factor: float = 0.005,
    steps: int = 200,
    samples: int = 1000,
) -> Path:
    """Train `seeds` learners; weight, old mean and spread move at `slow_factor` times the learning rate."""
    theta = np.repeat(np.array(LEARNER)[:, None], seeds, axis=1)
    rates = learning_rate * np.array([slow_factor, slow_factor, slow_factor, 1.0, 1.0])[:, None]
    history = [_overlaps(theta)]
    for _ in range(steps):
        theta = theta + rates * ascent(rng, rule, theta, samples)
        theta[0] = np.clip(theta[0], SMALLEST, 1 - SMALLEST)
        theta[[2, 4]] = np.maximum(theta[[2, 4]], SMALLEST)
        history.append(_overlaps(theta))
    old, new = zip(*history, strict=True)
    return Path(np.stack(old), np.stack(new))


def drop_at_gain(path: Path, gain: float) -> Array:
    """Old overlap lost when the new one has first grown by `gain`; NaN for seeds that never get there."""
    reached = path.new - path.new[0] >= gain
    first = reached.argmax(0)
    lost = path.old[0] - np.take_along_axis(path.old, first[None], 0)[0]
    return np.where(reached.any(0), lost, np.nan)

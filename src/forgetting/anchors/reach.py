"""What a policy that learns from its own samples can reach: answers to which its base gives probability p.

Tabular: every input has logits of its own over ten answers, five of them right, with mass p in all. A group without a
right answer has equal rewards, so advantage 0, and the input stays exactly as it was: after S samples a share (1 − p)^S
of inputs was never lit, whatever the learning rate. The threshold is the p at which that is one half.
"""

import numpy as np

from forgetting.results import Array

ANSWERS, RIGHT = 10, 5  # the first five answers are right
LIFTED = 1e-9  # mass that stands for 0 where SFT is to learn: it has a gradient


def threshold(samples: int) -> float:
    """p at which half of the inputs are never given a right answer in `samples` samples: 1 − 2^(−1/S)."""
    return float(-np.expm1(-np.log(2) / samples))


def lit(p: Array, samples: int) -> Array:
    """Expected share of inputs with at least one right answer among `samples`: 1 − (1 − p)^S."""
    share: Array = -np.expm1(samples * np.log1p(-np.asarray(p, float)))
    return share


def base_logits(p: float, inputs: int) -> Array:
    """Logits [inputs, 10] with mass p spread evenly over the right answers; −∞ there for p = 0."""
    with np.errstate(divide="ignore"):
        row = np.log(np.r_[np.full(RIGHT, p / RIGHT), np.full(ANSWERS - RIGHT, (1 - p) / (ANSWERS - RIGHT))])
    return np.tile(row, (inputs, 1))


def probs(logits: Array) -> Array:
    """Softmax of each row."""
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    share: Array = e / e.sum(axis=1, keepdims=True)
    return share


def accuracy(logits: Array) -> float:
    """Share of inputs whose most probable answer is right."""
    return float((logits.argmax(axis=1) < RIGHT).mean())


def grpo(p: float, inputs: int, steps: int, group: int, rate: float, rng: np.random.Generator) -> float:
    """Accuracy after `steps` steps of tabular GRPO, every input sampled `group` times a step (arXiv 2402.03300)."""
    logits = base_logits(p, inputs)
    for _ in range(steps):
        pi = probs(logits)
        uniform = 1 - rng.random((inputs, group, 1))  # in (0, 1]: an answer of probability 0 is never drawn
        answers = (uniform > pi.cumsum(axis=1)[:, None] / pi.sum(axis=1)[:, None, None]).sum(axis=2)
        answers = np.minimum(answers, ANSWERS - 1)
        reward = (answers < RIGHT).astype(float)
        centred = reward - reward.mean(axis=1, keepdims=True)
        advantage = centred / (reward.std(axis=1, keepdims=True) + 1e-6)
        push = np.zeros_like(pi)
        np.add.at(push, (np.arange(inputs)[:, None], answers), advantage / group)
        logits = logits + rate * (push - pi * push.sum(axis=1, keepdims=True))
    return accuracy(logits)


def sft(p: float, inputs: int, steps: int, rate: float) -> float:
    """Accuracy after as many steps of cross-entropy to one right answer; a mask is lifted to LIFTED."""
    logits = base_logits(max(p, LIFTED), inputs)
    for _ in range(steps):
        push = -probs(logits)
        push[:, 0] += 1
        logits = logits + rate * push
    return accuracy(logits)


def crossing(p: Array, share: Array) -> float:
    """p at which an accuracy that rises with p (both (n,), p ascending) passes one half, by interpolation in log p."""
    above = int(np.argmax(share >= 0.5))
    if share[above] < 0.5 or above == 0:
        return np.nan
    x, y = np.log(p[above - 1 : above + 1]), share[above - 1 : above + 1]
    return float(np.exp(np.interp(0.5, y, x)))

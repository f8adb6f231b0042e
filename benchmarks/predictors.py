"""What the predictors of forgetting cost at a checkpoint, on one thread: python benchmarks/predictors.py

Prints one JSON object: milliseconds for all per-checkpoint predictors together (2,000 digits and 2,000 clothes), for
those at the end of a training on top, for the Fisher information (once a job), and for each predictor alone.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import torch

from forgetting import seeds
from forgetting.data import Images, Tasks
from forgetting.distances import ACTIVATIONS, OUTPUTS, WEIGHTS
from forgetting.fisher import diagonal_fisher
from forgetting.points import Baseline, measure
from forgetting.policy import Policy
from forgetting.training import use_threads

INPUTS, REPEATS = 2000, 15


def milliseconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median time of `work`, after one run to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return round(median(times), 2)


def main() -> None:
    """Measure on random images and a policy that has moved."""
    use_threads(1)
    draw = seeds.generator("benchmark")
    images = Images(torch.randn(INPUTS, 785, generator=draw), torch.randint(10, (INPUTS,), generator=draw))
    baseline = Baseline.of(Policy(draw), Tasks(images, images, images, images))
    assert baseline.reference is not None
    policy = baseline.policy.copy()
    for parameter in policy.parameters():
        parameter.data += 0.01 * torch.randn(parameter.shape, generator=draw)
    seen, base = policy.see(images.x), baseline.new
    single: dict[str, Callable[[], object]] = {"forward pass": partial(policy.see, images.x)}
    single |= {name: partial(f, base.log_probs, seen.log_probs) for name, f in OUTPUTS.items()}
    single |= {name: partial(f, base.hidden, seen.hidden) for name, f in ACTIVATIONS.items()}
    single |= {name: partial(f, baseline.reference, policy) for name, f in WEIGHTS.items()}
    every = milliseconds(partial(measure, baseline, policy, 100.0))
    result = {
        "per_checkpoint_ms": every,
        "at_the_end_ms": round(milliseconds(partial(measure, baseline, policy, 100.0, last=True), 5) - every, 2),
        "fisher_ms": milliseconds(partial(diagonal_fisher, policy, images.x), 5),
        "single_ms": {name: milliseconds(work, 5) for name, work in single.items()},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()

"""How near the training loop comes to the arithmetic: milliseconds a step against a floor measured in the same run.

    python benchmarks/training.py

One thread, batch 64, AdamW, the parity line's own loop with its own batches. The floor is the step's
floating-point operations (forward, gradients of all weights and of all hidden layers, not of the input) at the rate
that this machine reaches on a 64×785 by 785×512 product in float32. Steps and products are timed in turn, a few at a
time, so that both see the same machine; medians are given. The last line is one JSON object.
"""

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import torch

from forgetting.base import pretrain
from forgetting.config import Config, validate
from forgetting.data import Tasks, load, prepare
from forgetting.finetuning import digit_batches
from forgetting.objectives import grpo, sft_1
from forgetting.policy import SIZES
from forgetting.training import AdamW, Objective, learning_rates, train, use_threads

BATCH, STEPS, PRODUCTS, ROUNDS = 64, 5, 5, 80


def step_operations() -> int:
    """Floating-point operations of one step: 2·batch·inputs·outputs a product, two or three products a layer."""
    layers = [n * m for n, m in pairwise(SIZES)]
    return 2 * BATCH * (2 * layers[0] + 3 * sum(layers[1:]))


def milliseconds(work: Callable[[], object], times: int) -> float:
    """Mean wall time of one call."""
    start = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - start) / times * 1e3


def steps(tasks: Tasks, objective: Objective, settings: dict[str, object]) -> Iterator[int]:
    """A fine-tuning that goes on for as long as it is asked to."""
    base = pretrain(tasks, 0, **settings)  # type: ignore[arg-type]
    epochs = 1 + BATCH * STEPS * ROUNDS // len(tasks.digits.label)
    total = epochs * -(-len(tasks.digits.label) // BATCH)
    batches = digit_batches(tasks.digits, base.log_probs(tasks.digits.x).float(), 0, "benchmark", BATCH, epochs)
    return train(base.copy(), objective, batches, learning_rates(1e-4, "cosine", total, 0.1))


def compare(tasks: Tasks, objective: Objective, settings: dict[str, object]) -> dict[str, float]:
    """Milliseconds a step, the floor, and their ratio (medians over rounds in which both were timed)."""
    left, right = torch.randn(BATCH, SIZES[0]), torch.randn(SIZES[0], SIZES[1])
    running = steps(tasks, objective, settings)
    share = step_operations() / (2 * BATCH * SIZES[0] * SIZES[1])
    taken, floors = [], []
    for _ in range(ROUNDS):
        floors.append(milliseconds(lambda: left @ right, PRODUCTS) * share)
        taken.append(milliseconds(lambda: next(running), STEPS))
    ratio = median(t / f for t, f in zip(taken, floors, strict=True))
    return {"ms_per_step": round(median(taken), 3), "floor_ms": round(median(floors), 3), "ratio": round(ratio, 3)}


def parts(tasks: Tasks) -> dict[str, float]:
    """Milliseconds of the pieces that are not products: fetching a batch, drawing answers, AdamW."""
    rows = torch.randint(len(tasks.digits.label), (BATCH,))
    weights = [torch.randn(n, m) for n, m in pairwise(SIZES)]
    optimizer = AdamW(weights)
    return {
        "fetch_ms": round(milliseconds(lambda: tasks.digits.x[rows], 300), 3),
        "adamw_ms": round(milliseconds(lambda: optimizer.step(weights, 1e-9), 300), 3),
    }


def settings(config: Config) -> dict[str, object]:
    """Keyword arguments of `pretrain` in the config."""
    return config.base.model_dump(exclude={"seeds"})


def main() -> None:
    """Print the comparison."""
    import yaml

    use_threads(1)
    config = validate(yaml.safe_load(Path(__file__).parents[1].joinpath("config.yaml").read_text()))
    with TemporaryDirectory() as folder:
        file = Path(folder, "data.npz")
        prepare(file, source="bundled", folder=None, cache=Path(folder), digits=10_000, test_images=100)
        tasks = load(file)
    print(json.dumps(parts(tasks)))
    objectives: dict[str, Objective] = {"sft": sft_1, "grpo": partial(grpo, group=8)}
    print(json.dumps({name: compare(tasks, objective, settings(config)) for name, objective in objectives.items()}))


if __name__ == "__main__":
    main()

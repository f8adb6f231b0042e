"""A small frame of points to test on: a saturating law, three methods, an effect of odd base seeds."""

import numpy as np
import pandas as pd

METHODS = ("grpo", "oracle", "sft_1")


def make_points(seeds=4, trainings=5, checkpoints=4, noise=0.03):
    rng = np.random.default_rng(7)
    index = pd.MultiIndex.from_product([METHODS, range(seeds), range(trainings), range(1, checkpoints + 1)])
    points = index.to_frame(index=False, name=["method", "base_seed", "learning_rate", "checkpoint"])
    code = points["method"].map({m: i for i, m in enumerate(METHODS)})
    x = (code + 1) * np.exp(points["learning_rate"] / 2) * points["checkpoint"] / 8
    y = 0.7 * (1 - np.exp(-x / 3)) + noise * rng.normal(size=len(x)) + 0.05 * (points["base_seed"] % 2)
    labels = points["method"] + "-" + points[["base_seed", "learning_rate"]].astype(str).agg("-".join, axis=1)
    return points.assign(
        schedule="cosine",
        epochs=1,
        training=labels,
        step=10 * points["checkpoint"],
        parity_accuracy=0.98 - 0.08 * np.exp(-x),
        fashion_accuracy=0.776 - y,
        forgetting=y,
        diverged=False,
        forward_kl_new=x,
        total_variation_old=1 - np.exp(-x) + 0.1 * rng.normal(size=len(x)),
        weight_l1=rng.normal(size=len(x)),
    )

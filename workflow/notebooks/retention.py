# %% [markdown]
# # Ways to keep the old task, and what the law says of them
#
# Every dot is a checkpoint of a policy that learned parity while it held on to clothes in one of many ways, each over a
# grid of its strength. Above: accuracy kept on clothes against accuracy gained on parity (lines: each method's own
# frontier, mean over base policies). Below: forgetting against the forward KL to the base on the new task, with the
# quadratic that the parity line fitted to other methods: a law would run through these dots.

# %% tags=["parameters"]
points = law = curve = "results/default/…"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from forgetting import figures
from forgetting.frontier import select
from forgetting.retention import FAMILIES, RETAINING

figures.use_style()
every = pd.read_parquet(points).query("not diverged")
sequential, fit, seen = every[every["method"] == "sequential"], pd.read_parquet(curve), pd.read_parquet(law)
best = select(every, "frontier")

# %%
families = {name: [m for m in methods if m in set(every["method"])] for name, methods in FAMILIES.items()}
figure, axes = plt.subplots(2, len(families), figsize=(figures.PAGE, 3.9), sharex="row", sharey="row")
for (family, methods), (trade, forgets) in zip(families.items(), axes.T, strict=True):
    trade.scatter(100 * sequential["parity_accuracy"], 100 * sequential["fashion_accuracy"], s=5, color="0.7")
    forgets.scatter(seen["forward_kl_new"], 100 * seen["forgetting"], s=2, color="0.85", rasterized=True)
    forgets.plot(fit["forward_kl_new"], 100 * fit["forgetting"], color="black", lw=0.9)
    for method, colour in zip(methods, figures.COLOURS[2:], strict=False):
        own, front = every[every["method"] == method], best[best["method"] == method]
        line = front.groupby("strength")[["parity_accuracy", "fashion_accuracy"]].mean().sort_values("parity_accuracy")
        trade.scatter(100 * own["parity_accuracy"], 100 * own["fashion_accuracy"], s=5, alpha=0.35, lw=0, color=colour)
        trade.plot(100 * line["parity_accuracy"], 100 * line["fashion_accuracy"], color=colour, lw=1)
        forgets.scatter(own["forward_kl_new"], 100 * own["forgetting"], s=6, lw=0, color=colour)
        trade.plot([], [], color=colour, marker="o", ms=3, label=RETAINING.get(method, method))
    trade.set_title(family)
    trade.legend(loc="upper left", bbox_to_anchor=(-0.04, 1.03), handlelength=1.2, fontsize=6, labelspacing=0.3)
    trade.set(
        xlim=(88, 98.5), ylim=(0, 122), xticks=range(88, 99, 2), yticks=range(0, 81, 20), xlabel="parity accuracy, %"
    )
    forgets.set(xlabel="KL(base ‖ policy), nats", xlim=(-0.5, np.ceil(fit["forward_kl_new"].max()) + 1), ylim=(-12, 75))
axes[0, 0].set_ylabel("clothes accuracy, %")
axes[1, 0].set_ylabel("forgetting, points")
figures.save(figure, pdf, png)

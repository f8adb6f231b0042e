# %% [markdown]
# # Ways to keep the old task, and what the law says of them
#
# Every dot is a checkpoint of a policy that learned parity while it held on to clothes in one of many ways, each over a
# grid of its strength. Above: accuracy kept on clothes against accuracy gained on parity (lines: each method's own
# frontier, mean over base policies). Below: forgetting against the forward KL to the base on the new task, with the
# quadratic that the parity line fitted to other methods: a law would run through these dots. The first column has those
# methods themselves, on the parity line's grid, which is larger.

# %% tags=["parameters"]
points = law = curve = "results/default/…"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from forgetting import figures
from forgetting.frontier import select
from forgetting.retention import RETAINING, families

figures.use_style()
every, seen = (pd.read_parquet(path).query("not diverged") for path in (points, law))
sequential, fit = every[every["method"] == "sequential"], pd.read_parquet(curve)


# %%
def strokes(methods, names, colours):
    """Name in print and colour of each of the methods."""
    return {m: (names.get(m, m), colour) for m, colour in zip(methods, colours, strict=False)}


own = figures.method_names(seen["method"])
colours = [figures.method_colours(own)[name] for name in own.values()]
panels = {"parity line": (seen, strokes(own, own, colours), "learning_rate")}
for family, methods in families(every["method"]).items():
    panels[family] = (every, strokes(methods, RETAINING, figures.COLOURS[2:]), "strength")

# %%
figure, axes = plt.subplots(2, len(panels), figsize=(figures.PAGE, 3.9), sharex="row", sharey="row")
for (family, (points_of, methods, by)), (trade, forgets) in zip(panels.items(), axes.T, strict=True):
    trade.scatter(100 * sequential["parity_accuracy"], 100 * sequential["fashion_accuracy"], s=5, color="0.7")
    forgets.scatter(seen["forward_kl_new"], 100 * seen["forgetting"], s=2, color="0.85", rasterized=True)
    best = select(points_of, "frontier")
    for method, (name, colour) in methods.items():
        dots, front = points_of[points_of["method"] == method], best[best["method"] == method]
        line = front.groupby(by)[["parity_accuracy", "fashion_accuracy"]].mean().sort_values("parity_accuracy")
        trade.scatter(100 * dots["parity_accuracy"], 100 * dots["fashion_accuracy"], s=4, alpha=0.3, lw=0, color=colour)
        trade.plot(100 * line["parity_accuracy"], 100 * line["fashion_accuracy"], color=colour, lw=1)
        forgets.scatter(dots["forward_kl_new"], 100 * dots["forgetting"], s=5, lw=0, color=colour)
        trade.plot([], [], color=colour, marker="o", ms=3, label=name)
    forgets.plot(fit["forward_kl_new"], 100 * fit["forgetting"], color="black", lw=0.9)
    trade.set_title(family)
    trade.legend(loc="upper left", bbox_to_anchor=(-0.07, 1.03), handlelength=1, fontsize=5.5, labelspacing=0.25)
    trade.set(xlim=(88, 98.5), ylim=(0, 130), xticks=range(88, 99, 4), yticks=range(0, 81, 20), xlabel="parity, %")
    forgets.set(xlabel="KL(base ‖ policy)", xlim=(-0.5, np.ceil(fit["forward_kl_new"].max()) + 1), ylim=(-12, 75))
axes[0, 0].set_ylabel("clothes accuracy, %")
axes[1, 0].set_ylabel("forgetting, points")
figures.save(figure, pdf, png)

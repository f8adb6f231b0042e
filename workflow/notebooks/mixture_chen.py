# %% [markdown]
# # The toy that started it
#
# Chen et al. (arXiv 2510.18874): overlap with the old mode against overlap with the new one, mean over
# seeds, along training. Left: as published, where the old mode's learning rates are multiplied by 0.005.
# Right: without that factor, forward and reverse lose the old mode alike.

# %% tags=["parameters"]
curves = "results/default/mixture/chen/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)
keys = ["factor", "learner", "lr", "x"]
paths = frame.pivot_table("value", keys, "quantity").reset_index()

# %%
figure, axes = plt.subplots(1, 2, figsize=(figures.PAGE, 2.4), sharey=True)
titles = {0.005: "old mode at 0.005 × the learning rate", 1.0: "one learning rate for both modes"}
runs = [("forward", 0.15), ("forward", 0.01), ("reverse", 0.01)]
for ax, (factor, title) in zip(axes, titles.items(), strict=True):
    for (learner, rate), colour in zip(runs, figures.COLOURS, strict=False):
        own = (paths["factor"] == factor) & (paths["learner"] == learner) & (paths["lr"] == rate)
        rows, name = paths[own].sort_values("x"), f"{learner}, learning rate {rate:g}"
        ax.plot(rows["new overlap"], rows["old overlap"], color=colour, marker=".", ms=3, label=name)
    ax.axvline(rows["new overlap"].iloc[0] + 0.9, color="0.7", lw=0.7, ls="--", zorder=0)
    ax.set(title=title, xlabel="overlap with the new mode", ylim=(0, 0.85))
axes[0].set_ylabel("overlap with the old mode")
axes[0].legend(loc="lower left")
axes[1].text(0.92, 0.8, "gain 0.9", ha="right", color="0.4", fontsize=7)
figures.save(figure, pdf, png)

# %% [markdown]
# # Reverse KL against forward KL
#
# The old weight from β₀ = 0.9 and from 0.02 towards α = 0.3 at δ = 4. Dots: SGD on own samples with the
# dense log-ratio reward; lines: the exact flow; dashed: forward KL on new data from the same starts.

# %% tags=["parameters"]
curves = "results/default/mixture/reverse/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)

# %%
figure, ax = plt.subplots(figsize=(figures.COLUMN, 2.5))
shown = frame[(frame["alpha"] == 0.3) & (frame["delta"] == 4)]
handles = drawing.overlay(ax, shown, "b0", figures.COLOURS)
for colour, (_, rows) in zip(figures.COLOURS, frame.groupby("forward_from"), strict=False):
    ax.plot(rows["x"], rows["value"], color=colour, ls="--", lw=0.9)
ax.axhline(0.3, color="0.7", lw=0.7, zorder=0)
ax.text(0.55, 0.31, "α", color="0.4", va="bottom", fontsize=7)
ax.set(xscale="log", ylim=(0, 0.95), xlabel="time (learning rate × steps)", ylabel="old weight β")
dashed = plt.Line2D([], [], color="0.3", ls="--", lw=0.9, label="forward KL")
ax.legend(handles=[*handles, *drawing.sources("exact", "simulated"), dashed], loc="upper right")
figures.save(figure, pdf, png)

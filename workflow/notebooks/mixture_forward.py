# %% [markdown]
# # Forward KL on new data alone
#
# The old weight against time. Dots: SGD (learning rate 0.1, batches of 64), mean over seeds with 95 %
# intervals, most of them smaller than the dots. Lines: the exact flow. Dashed: modes infinitely far
# apart, 1/(1 + ω(t + …)).

# %% tags=["parameters"]
curves = "results/default/mixture/forward/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)

# %%
figure, ax = plt.subplots(figsize=(figures.COLUMN, 2.5))
limit = frame[frame["delta"] == float("inf")]
handles = drawing.overlay(ax, frame.drop(limit.index), "delta", figures.COLOURS)
ax.plot(limit["x"], limit["value"], color="black", ls="--", lw=0.9)
handles.append(plt.Line2D([], [], color="black", ls="--", lw=0.9, label="δ → ∞"))
ax.set(xscale="log", yscale="log", xlabel="time (learning rate × steps)", ylabel="old weight β")
ax.legend(handles=[*handles, *drawing.sources("exact", "simulated")], loc="lower left")
figures.save(figure, pdf, png)

# %% [markdown]
# # Overlap gates everything
#
# Against δ², on a logarithmic axis: 1. leakage ε(½), 2. the old mean's largest drift along the flow of
# reverse KL, 3. its gradient at the start. Dotted: the bounds. Dashed: a slope of −1/8.

# %% tags=["parameters"]
curves = "results/default/mixture/drift/curves.parquet"
pdf = png = "figure"

# %%

import math

import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)

# %%
names = {
    "leakage": "leakage ε(½)",
    "largest drift": "largest drift of the old mean",
    "old mean's gradient": "gradient of the old mean",
}
figure, axes = plt.subplots(1, 3, figsize=(figures.PAGE, 2.4))
for ax, (quantity, name) in zip(axes, names.items(), strict=True):
    rows = frame[(frame["quantity"] == quantity) & frame.get("form").isna()]
    drawing.overlay(ax, rows, "quantity", figures.COLOURS[3:])
    last = rows[rows["source"] == "simulated"].iloc[-1]
    guide = 0.35 * last["value"]  # below the points, so that it hides none
    ax.axline((last["x"], guide), (last["x"] - 8, guide * math.e), color="black", lw=0.8, ls="--")
    ax.set(yscale="log", xlabel="δ²", ylabel=name, ylim=(0.2 * last["value"], None))
slope = plt.Line2D([], [], color="black", lw=0.8, ls="--", label="slope −1/8")
axes[0].legend(handles=[*drawing.sources("exact", "bound", "simulated"), slope], loc="upper right")
figures.save(figure, pdf, png)

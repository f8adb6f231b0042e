# %% [markdown]
# # Near the optimum
#
# 1. **ln L** along the flow (lines) and under SGD on own samples (dots); dashed: slopes of −2λ_min.
# 2. **λ_min** of the Fisher matrix against δ in 1 and in 10 dimensions, with its lower bound (dotted), which
#    says something once it is above zero.

# %% tags=["parameters"]
curves = "results/default/mixture/geometry/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)

# %%
figure, (decay, least) = plt.subplots(1, 2, figsize=(figures.PAGE, 2.5))
log_loss = frame[frame["quantity"] == "ln L"]
pairs = zip(log_loss["alpha"], log_loss["delta"], strict=True)
log_loss = log_loss.assign(pair=[f"α = {a:g}, δ = {d:g}" for a, d in pairs])
straight = log_loss["source"] == "predicted"
handles = drawing.overlay(decay, log_loss[~straight], "pair", figures.COLOURS, ms=2)
for _, rows in log_loss[straight].groupby("pair"):
    decay.plot(rows["x"], rows["value"], color="black", lw=0.7, ls="--")
handles.append(plt.Line2D([], [], color="black", lw=0.7, ls="--", label="slope −2λ$_{min}$"))
decay.set(xlabel="time (learning rate × steps)", ylabel="ln L")
decay.legend(handles=handles, loc="upper right")

rows = frame[frame["quantity"] == "lambda_min"]
rows = rows.assign(pair=[f"α = {a:g}, d = {d:g}" for a, d in zip(rows["alpha"], rows["d"], strict=True)])
handles = drawing.overlay(least, rows, "pair", figures.COLOURS)
least.axhline(0, color="0.7", lw=0.7, zorder=0)
least.set(xlabel="δ", ylabel="λ$_{min}$", ylim=(-0.2, 0.27))
least.legend(handles=[*handles, *drawing.sources("exact", "bound")], loc="lower right")
figures.save(figure, pdf, png)

# %% [markdown]
# # SDFT, TTT-Discover, OAPL
#
# Upper row, the old weight: 1. SDFT for four strengths λ of the demonstrations, 2. TTT-Discover for five
# anchors λ, 3. OAPL by re-synchronisation. Lower row: 4. largest drift of the old mean under all three against
# δ², 5. resting β around TTT-Discover's threshold anchor for b = 0.25 and 0.05, 6. OAPL's gradient of the old
# mean at its reference.

# %% tags=["parameters"]
sdft = ttt = oapl = "results/default/mixture/…/curves.parquet"
pdf = png = "figure"

# %%

import math

import matplotlib.pyplot as plt
import pandas as pd

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frames = {"SDFT": drawing.read(sdft), "TTT-Discover": drawing.read(ttt), "OAPL": drawing.read(oapl)}
beta = {name: frame[frame["quantity"] == "beta"] for name, frame in frames.items()}

# %%
figure, axes = plt.subplots(2, 3, figsize=(figures.PAGE, 4.4))
(returns, falls, syncs), (drifts, threshold, local) = axes
time = "time (learning rate × steps)"
handles = drawing.overlay(returns, beta["SDFT"], "lambda", figures.COLOURS)
returns.set(title="SDFT", xscale="log", xlabel=time, ylabel="old weight β", ylim=(0.1, 0.52))
returns.legend(handles=handles, loc="upper right")

handles = drawing.overlay(falls, beta["TTT-Discover"], "lambda", figures.COLOURS)
falls.set(title="TTT-Discover", xscale="log", yscale="log", xlabel=time, ylabel="old weight β")
falls.legend(handles=handles, loc="lower left")

handles = drawing.overlay(syncs, beta["OAPL"], "reference", figures.COLOURS, ms=4)
syncs.set(title="OAPL", xlabel="fits", ylabel="old weight β", ylim=(0, 0.55))
syncs.legend(handles=[*handles, *drawing.sources("exact", "simulated")], loc="lower left")

every = pd.concat([f[f["quantity"] == "largest drift"].assign(method=name) for name, f in frames.items()])
for (name, rows), colour in zip(every.groupby("method", sort=False), figures.COLOURS, strict=False):
    strong = rows[rows["parameters"] == rows["parameters"].iloc[0]]
    drifts.plot(strong["x"], strong["value"], color=colour, marker=".", label=name)
last = every.iloc[-1]
guide = 0.3 * last["value"]  # below the points, so that it hides none
drifts.axline((last["x"], guide), (last["x"] - 8, guide * math.e), color="black", lw=0.8, ls="--")
drifts.plot([], [], color="black", lw=0.8, ls="--", label="slope −1/8")
drifts.set(yscale="log", xlim=(8, 66), ylim=(guide / 2, None))
drifts.set(xlabel="δ²", ylabel="largest drift of the old mean")
drifts.legend()

rest = frames["TTT-Discover"].query("quantity == 'resting beta'").assign(b=lambda f: f["retained"])
handles = drawing.overlay(threshold, rest, "b", figures.COLOURS, ms=3.5)
threshold.axvline(1, color="0.7", lw=0.7, zorder=0)
for b, colour in zip((0.05, 0.25), figures.COLOURS, strict=False):
    threshold.axhline(b, color=colour, lw=0.6, ls="--", zorder=0)
threshold.set(xlabel="anchor λ / λ$_c$(b)", ylabel="resting β", ylim=(0, 0.3))
threshold.legend(handles=handles, loc="center left")

gradient = frames["OAPL"].query('quantity == "old mean\'s gradient"')
drawing.overlay(local, gradient, "quantity", [figures.COLOURS[2]])
local.set(yscale="log", xlabel="δ²", ylabel="gradient of the old mean, OAPL")
figures.save(figure, pdf, png)

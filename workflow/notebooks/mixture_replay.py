# %% [markdown]
# # Replay under forward KL
#
# 1. **Where β ends** when a share λ of old samples is mixed into the data (β = λ) or into the model (β = 0);
#    open circles: the effective mass λ + (1−λ)β that the model then seems to have.
# 2. **On the way** under replay in the model: β still falls like 1/t.

# %% tags=["parameters"]
curves = "results/default/mixture/replay/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)

# %%
figure, (ends, way) = plt.subplots(1, 2, figsize=(figures.PAGE, 2.5))
final = frame[frame["quantity"] == "final beta"]
handles = drawing.overlay(ends, final, "replay", figures.COLOURS, ms=4)
for handle, where in zip(handles, ["data", "model"], strict=True):
    handle.set_label(f"β, replay in the {where}")
mass = frame[frame["quantity"] == "effective mass"]
drawing.overlay(ends, mass, "replay", [figures.COLOURS[1]], mfc="none", mew=0.8, ms=5)
ring = {"color": figures.COLOURS[1], "marker": "o", "mfc": "none", "ls": "", "ms": 5}
handles.append(plt.Line2D([], [], label="effective mass, model", **ring))
ends.set(xlabel="replay share λ", ylabel="mass at the end")
ends.legend(handles=[*handles, *drawing.sources("exact", "simulated")], loc="upper left")

late = frame[frame["quantity"] == "model beta"]
late = late.assign(pair=[f"δ = {d:g}, λ = {s:g}" for d, s in zip(late["delta"], late["lambda"], strict=True)])
handles = drawing.overlay(way, late, "pair", figures.COLOURS)
way.set(xscale="log", yscale="log", xlabel="time (learning rate × steps)", ylabel="β, replay in the model")
way.legend(handles=handles, loc="lower left")
figures.save(figure, pdf, png)

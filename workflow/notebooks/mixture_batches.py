# %% [markdown]
# # Finite batches under reverse KL
#
# 1. **Starved batches**: share with no old sample, without replay (dots) and with λ = 0.3 (crosses).
# 2. **Variance** of one sample's gradient with replay over on-policy.
# 3. **Arrival**: share of runs at N = 4 that have reached 0.9 α, from β = 0.02.
# 4. **SFT on own samples** is a Wright–Fisher chain and loses a mode for good.

# %% tags=["parameters"]
curves = "results/default/mixture/batches/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)
quantity = dict(list(frame.groupby("quantity")))

# %%
figure, ((starved, variance), (arrival, own)) = plt.subplots(2, 2, figsize=(figures.PAGE, 4.4))
rows = quantity["starved batches"]
handles = drawing.overlay(starved, rows[rows["lambda"] == 0], "beta", figures.COLOURS)
drawing.overlay(starved, rows[rows["lambda"] == 0.3], "beta", figures.COLOURS, fmt="x", mew=0.9, ms=3.5)
kinds = [
    plt.Line2D([], [], color="0.3", marker=marker, ls="-", lw=1.1, ms=3.5, label=f"λ = {share}")
    for marker, share in (("o", 0), ("x", 0.3))
]
starved.set(xscale="log", yscale="log", xlim=(0.9, 320), ylim=(3e-4, 1.5))
starved.set(xlabel="batch size N", ylabel="share of starved batches")
starved.legend(handles=[*handles, *kinds], loc="lower left")

rows = quantity["variance ratio"]
rows = rows.assign(of=rows["of"].replace({"phi": "log odds φ"}))
lines = rows.sort_values("x").assign(parameters=rows["of"])
handles = drawing.overlay(variance, lines, "of", figures.COLOURS, ms=4)
variance.set(xlabel="replay share λ", ylabel="variance, replay / on-policy", ylim=(0, None), xticks=[0.1, 0.2, 0.3])
variance.legend(handles=handles)

for share, colour in ((0.0, figures.COLOURS[0]), (0.3, figures.COLOURS[3])):
    rows = quantity["arrived at 0.9 alpha"].query("`lambda` == @share")
    arrival.step(rows["x"], rows["value"], where="post", color=colour, label=f"λ = {share:g}")
arrival.set(xlabel="steps", ylabel="share of runs at 0.9 α", xlim=(0, 130))
arrival.legend(loc="lower right")

drawing.overlay(own, quantity["beta(1-beta), own samples"].iloc[::3], "N", figures.COLOURS[3:])
own.set(yscale="log", ylim=(3e-4, 0.4), xlabel="generation", ylabel="E β(1−β), SFT on own samples")
own.legend(handles=drawing.sources("exact", "simulated"))
figures.save(figure, pdf, png)

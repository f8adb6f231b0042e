# %% [markdown]
# # Beyond KL, two components and Gaussians
#
# 1. **The old mean's gradient** against δ² for five f-divergences. 2. **Curvature**: the worst eigenvalue of
# the Hessian over Fisher against f''(1). 3. **Overlap** of two components against D²: strongly log-concave
# ones stay under e^{−D²/8} (dotted), logistic and Laplace ones do not.

# %% tags=["parameters"]
curves = "results/default/mixture/extensions/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)

# %%
figure, (gate, curvature, overlap) = plt.subplots(1, 3, figsize=(figures.PAGE, 2.9))
handles = drawing.overlay(gate, frame[frame["quantity"] == "old mean's gradient"], "f", figures.COLOURS)
gate.set(yscale="log", xlabel="δ²", ylabel="gradient of the old mean")

drawing.overlay(curvature, frame[frame["quantity"] == "curvature"], "f", figures.COLOURS, ms=5)
curvature.axline((0, 0), slope=1, color="0.6", lw=0.8, zorder=0)
curvature.set(xlim=(0, 2.2), ylim=(0, 2.2), xlabel="f″(1)", ylabel="Hessian / Fisher")

shapes = frame[frame["quantity"] == "overlap"]
names = drawing.overlay(overlap, shapes, "V", figures.COLOURS[5:])
bound = shapes[shapes["source"] == "bound"]
overlap.plot(bound["x"], bound["value"], color="black", ls=":")
overlap.set(yscale="log", xlabel="D²", ylabel="Bhattacharyya coefficient", ylim=(1e-7, 2))
for ax, entries in ((gate, handles), (overlap, names)):
    above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    ax.legend(handles=entries, ncols=2, columnspacing=0.8, handlelength=1.2, **above)
figures.save(figure, pdf, png)

# %% [markdown]
# # The trap
#
# Forward KL on new data with every parameter trained. Lines: the flow; dots: SGD. β freezes above zero,
# but the old component has left: its mean is dragged into the new mode. So the mass in the old region
# stands beside β.

# %% tags=["parameters"]
curves = "results/default/mixture/trap/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)

# %%
names = {"beta": "old weight β", "old mean": "old mean (starts at 0)", "old region": "mass in the old region"}
figure, axes = plt.subplots(1, 3, figsize=(figures.PAGE, 2.6))
for ax, (quantity, name) in zip(axes, names.items(), strict=True):
    handles = drawing.overlay(ax, frame[frame["quantity"] == quantity], "delta", figures.COLOURS)
    ax.set(xscale="log", xlabel="time (learning rate × steps)", ylabel=name)
    ax.set_yscale("linear" if quantity == "old mean" else "log")
figure.legend(handles=[*handles, *drawing.sources("exact", "simulated")], loc="outside upper center", ncols=7)
figures.save(figure, pdf, png)

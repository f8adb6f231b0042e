# %% [markdown]
# # Does RL forget less than SFT? It depends on the base
#
# Accuracy kept on old skills against accuracy on the new task, from bases that know the new task's rule and are spread
# over its right answers (left), and from one that has not learned the rule (right). Faint: all checkpoints; lines: the
# Pareto frontier of each method, all bases of a kind together.

# %% tags=["parameters"]
points = unready = "results/default/…"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt
import pandas as pd

from forgetting import figures

figures.use_style()
kinds = {"base knows the rule": pd.read_parquet(points), "base does not know it": pd.read_parquet(unready)}
kinds = {title: frame.query("not diverged") for title, frame in kinds.items() if len(frame)}
names = figures.method_names(kinds["base knows the rule"]["method"])
colours = figures.method_colours(names)

# %%
figure, axes = plt.subplots(1, len(kinds), figsize=(figures.COLUMN, 2.2), sharey=True, squeeze=False)
for ax, (title, frame) in zip(axes[0], kinds.items(), strict=True):
    for method, cell in frame.groupby("method"):
        x, y = 100 * cell["parity_accuracy"], 100 * cell["fashion_accuracy"]
        best = pd.DataFrame({"x": x, "y": y}).sort_values(["x", "y"], ascending=False)
        best = best[best["y"] >= best["y"].cummax()]
        ax.scatter(x, y, color=colours[names[method]], linewidth=0, s=8, alpha=0.35)
        ax.plot(best["x"], best["y"], color=colours[names[method]])
    ax.set_title(title, loc="left")
    ax.set(xlabel="new task, %")
axes[0, 0].set(ylabel="old skills, %")

handles = [plt.Line2D([], [], color=colour, marker="o", ms=4, label=name) for name, colour in colours.items()]
figure.legend(handles=handles, loc="outside upper center", ncols=3, columnspacing=1.2, handlelength=1.2)
figures.save(figure, pdf, png)

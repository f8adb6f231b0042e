# %% [markdown]
# # The law under every choice that the paper leaves open
#
# Each column is one analysis, from raw images to R² (left) or to GRPO's accuracy on clothes at 96 % parity (right), in
# the order of what it found. Below, what it departs from the default in: alone (black) or in a random combination
# (grey). Lines: what was published, and the default on this grid; the band is where other draws of order, labels and
# actions alone put the default.

# %% tags=["parameters"]
universes = choices = r2 = matched = "results/default/…"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt
import pandas as pd

from forgetting import figures
from forgetting.multiverse import CHANCE, published_outcomes

figures.use_style()
table, by_choice = pd.read_csv(universes), pd.read_csv(choices)
table["grpo"] = 100 * table["grpo"] if "grpo" in table else float("nan")
published = published_outcomes(pd.read_csv(r2), pd.read_csv(matched))
TIMES = {"r2": 1, "grpo": 100}
PANELS = {"r2": ("$R^2$", published["r2"]), "grpo": ("GRPO keeps, %", TIMES["grpo"] * published["grpo"])}
names = list(by_choice["choice"])

# %%
figure, axes = plt.subplots(
    2, 2, figsize=(figures.PAGE, 1.4 + 0.115 * len(names)), sharex="col", height_ratios=[1.2, 0.115 * len(names)]
)
for (outcome, (label, was)), (curve, matrix) in zip(PANELS.items(), axes.T, strict=True):
    own = table.dropna(subset=[outcome]).sort_values(outcome, kind="stable").reset_index(drop=True)
    curve.axhline(was, color=figures.COLOURS[0], lw=0.9, label="published")
    if len(start := own[own["kind"] == "baseline"]):
        curve.axhline(start[outcome].iloc[0], color=figures.COLOURS[3], lw=0.9, ls=(0, (4, 2)), label="default")
        matrix.axvline(start.index[0], color=figures.COLOURS[3], lw=0.9, ls=(0, (4, 2)))
    if len(chance := by_choice[by_choice["choice"] == CHANCE].dropna(subset=[f"{outcome}_low"])):
        low, high = (TIMES[outcome] * chance[f"{outcome}_{end}"].iloc[0] for end in ("low", "high"))
        curve.axhspan(low, high, color=figures.COLOURS[3], alpha=0.25, lw=0, label="other draws")
    for kind, colour in (("combined", "0.6"), ("alone", "black")):
        drawn = own[own["kind"] == kind]
        curve.scatter(drawn.index, drawn[outcome], s=9, lw=0, color=colour, label=kind, zorder=3)
        for row, name in enumerate(names):
            departs = drawn[drawn[f"choice_{name}"].astype(str) != str(table[f"choice_{name}"].iloc[0])]
            matrix.scatter(departs.index, [row] * len(departs), s=7, lw=0, marker="s", color=colour)
    curve.set_ylabel(label)
    matrix.set(ylim=(len(names) - 0.5, -0.5), xlabel=f"{len(own)} of {len(table)} analyses, ordered", xticks=[])
    matrix.set_yticks(range(len(names)), [name.replace("_", " ") for name in names] if outcome == "r2" else [])
    matrix.tick_params(axis="y", length=0, labelsize=6.5)
    matrix.hlines(range(len(names)), -0.5, len(own) - 0.5, color="0.92", lw=0.5, zorder=0)
axes[0, 0].legend(loc="lower right", ncols=2)
figures.save(figure, pdf, png)

# %% [markdown]
# # Four ways to a new task, from one base
#
# Every point of a triangle is a distribution over three answers. The two at the bottom are right for the new task, so
# its bottom edge is the set of solutions. Lines: gradient flow of each method from the base until it is right with
# probability 0.95 (thin line). Shades: KL from the base, forward on the left, reverse in the middle; the dashed contour
# is the least that reaches 0.95, and it does so in one point, the same for both: the base renormalised over the right
# answers. On the right: both KLs on arrival.

# %% tags=["parameters"]
simplex = "results/default/anchors/simplex.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap

from forgetting import figures

figures.use_style()
frame = pd.read_parquet(simplex)
frame = frame.assign(x=frame["b"] + frame["c"] / 2, y=frame["c"] * np.sqrt(3) / 2)
base, nearest = (frame[frame["kind"] == kind].iloc[0] for kind in ("base", "nearest"))
fixed = dict(zip(figures.METHODS, figures.COLOURS, strict=False))
NAMES = {"sft_1": "SFT, one label", "sft_2": "SFT, even labels", "policy_gradient": "policy gradient",
         "sft_oracle": "SFT, oracle"}  # fmt: skip
COLOURS = {method: fixed["grpo" if method == "policy_gradient" else method] for method in NAMES}
SHADE = LinearSegmentedColormap.from_list("nats", ["#FFFFFF", "#DDE1E8", "#AEB6C4"])
LEVELS = [0, 0.1, 0.3, 0.6, 1, 1.5, 2, 3]


# %%
def triangle(ax, way, title):
    """The simplex shaded by one KL, the solutions and the four ways; returns the shades."""
    field = frame[(frame["kind"] == "field") & np.isfinite(frame[way])]
    x, y, nats = field["x"], field["y"], field[way]
    norm = BoundaryNorm(LEVELS, SHADE.N, extend="max")
    shades = ax.tricontourf(x, y, nats, levels=LEVELS, cmap=SHADE, norm=norm, extend="max", zorder=0)
    ax.tricontour(x, y, nats, levels=LEVELS[1:], colors="white", linewidths=0.7, zorder=1)
    ax.tricontour(x, y, nats, levels=[nearest[way]], colors="0.2", linewidths=0.8, linestyles="--", zorder=2)
    left, right = nearest["c"] / 2, 1 - nearest["c"] / 2
    ax.plot([left, right], [nearest["y"]] * 2, color="0.2", lw=0.5, zorder=2)
    ax.plot([0, 1, 0.5, 0], [0, 0, np.sqrt(3) / 2, 0], color="0.6", lw=0.7, zorder=2)
    ax.plot([0, 1], [0, 0], color="black", lw=2.2, solid_capstyle="round", zorder=3, clip_on=False)
    for method, colour in COLOURS.items():
        path = frame[(frame["kind"] == "way") & (frame["method"] == method)]
        ax.plot(path["x"], path["y"], color="white", lw=2.6, zorder=4)
        ax.plot(path["x"], path["y"], color=colour, lw=1.5, zorder=5)
        ax.plot(path["x"].iloc[-1], path["y"].iloc[-1], "o", ms=4, color=colour, mec="white", mew=0.6, zorder=6)
    ax.plot(base["x"], base["y"], "o", ms=5, color="black", mec="white", mew=0.8, zorder=7)
    ax.set(aspect="equal", xlim=(-0.02, 1.02), ylim=(-0.1, 0.94))
    ax.axis("off")
    small = {"fontsize": 6.5, "color": "0.3"}
    ax.text(0, 0.93, title, ha="left", va="top", fontsize=8, linespacing=1.3)
    ax.text(0.5, 0.885, "wrong", ha="center", va="bottom", **small)
    ax.text(0, -0.04, "right, rarely said", ha="left", va="top", **small)
    ax.text(1, -0.04, "right, often said", ha="right", va="top", **small)
    return shades


# %%
figure = plt.figure(figsize=(figures.PAGE, 2.75))
figure.set_layout_engine("none")
forward, reverse = (figure.add_axes((left, 0.13, 0.35, 0.87)) for left in (0.005, 0.37))
arrival = figure.add_axes((0.765, 0.2, 0.22, 0.7))
triangle(forward, "forward", "forward\nKL(base ‖ policy)")
shades = triangle(reverse, "reverse", "reverse\nKL(policy ‖ base)")
forward.annotate("base", (base["x"], base["y"]), (8, 1), textcoords="offset points", fontsize=7, fontweight="bold")
forward.text(0.5, -0.04, "solutions", ha="center", va="top", fontsize=6.5, fontweight="bold")

bar = figure.colorbar(shades, cax=figure.add_axes((0.23, 0.085, 0.27, 0.022)), orientation="horizontal")
bar.set_ticks(LEVELS, labels=[f"{level:g}" for level in LEVELS])
bar.ax.tick_params(length=0, labelsize=6, pad=1.5)
bar.outline.set(linewidth=0.4, edgecolor="0.6")
bar.ax.text(1.09, 0.5, "nats", transform=bar.ax.transAxes, fontsize=6, va="center")

ends = frame[frame["kind"] == "arrival"].set_index("method").loc[list(NAMES)[::-1]]
for row, (method, end) in enumerate(ends.iterrows()):
    arrival.plot([end["reverse"], end["forward"]], [row, row], color=COLOURS[method], lw=1, alpha=0.4)
    arrival.plot(end["forward"], row, "o", ms=5, color=COLOURS[method])
    arrival.plot(end["reverse"], row, "o", ms=5, mfc="white", color=COLOURS[method])
    arrival.text(0, row + 0.18, NAMES[method], color=COLOURS[method], fontsize=7, va="bottom")
arrival.set(xlim=(0, None), ylim=(-0.5, 3.7), yticks=[], xlabel="KL on arrival, nats", title="at 95 % right")
arrival.spines["left"].set_visible(False)
dots = {"forward": {"color": "0.3"}, "reverse": {"color": "0.3", "mfc": "white"}}
handles = [plt.Line2D([], [], ls="", marker="o", ms=4, label=way, **look) for way, look in dots.items()]
arrival.legend(handles=handles, loc="lower right", handletextpad=0.1, borderpad=0)
figures.save(figure, pdf, png)

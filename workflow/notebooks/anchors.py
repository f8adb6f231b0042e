# %% [markdown]
# # Which way the anchor points, and anchors against replay
#
# Upper row, the two directions of KL on one five-way answer: 1. a rare fact loses its mass, 2. something never said
# gains mass (dots: the published mass, with the ratio of the two); 3. how far each KL is from the Fisher quadratic
# ½δᵀFδ, as a share of it, when one answer's logit moves (grey: 1 % and 10 %).
# Lower row: 4. where a token settles between cross-entropy and an anchor, by how well the reference knew it (lines:
# closed form, dots: alternated steps); 5. variance of the gradient estimates by batch size; 6. distance from the truth
# when the reference believes a wrong answer.

# %% tags=["parameters"]
curves = "results/default/anchors/curves.parquet"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt

from forgetting import figures
from forgetting.mixture import drawing

figures.use_style()
frame = drawing.read(curves)
quantity = dict(list(frame.groupby("quantity")))
FORWARD, REVERSE = figures.COLOURS[3], figures.COLOURS[0]
WAYS = {"forward": FORWARD, "reverse": REVERSE}


# %%
def penalties(ax, case, side):
    """Both penalties of one case, and the ratio between them at the published mass."""
    rows = quantity["penalty"].query("case == @case")
    marked = quantity["penalty, published mass"].query("case == @case").set_index("kl")
    for way, colour in WAYS.items():
        line, dot = rows[rows["kl"] == way], marked.loc[way]
        ax.plot(line["x"], line["value"], color=colour)
        ax.plot(dot["x"], dot["value"], "o", ms=3.5, color=colour)
    low, high, x = marked["value"].min(), marked["value"].max(), marked["x"].iloc[0]
    ax.plot([x, x], [low, high], color="0.3", lw=0.7, ls=(0, (2, 1.5)), zorder=0)
    ratio = quantity["ratio"].query("case == @case")["value"].iloc[0]
    ax.annotate(f"× {ratio:.1f}", (x, (low + high) / 2), textcoords="offset points", va="center", **side)
    ax.set(ylabel="penalty, nats", ylim=(0, None), xlim=(0, None))


# %%
figure, axes = plt.subplots(2, 3, figsize=(figures.PAGE, 4.5))
(erased, said, regime), (settled, noise, belief) = axes
penalties(erased, "rare fact erased", {"xytext": (-9, 0), "ha": "right"})
erased.set(title="a rare fact is erased", xlabel="mass moved, of 0.029")
erased.legend(handles=[plt.Line2D([], [], color=c, label=f"{way} KL") for way, c in WAYS.items()], loc="upper left")
penalties(said, "never said, said", {"xytext": (4, 0), "ha": "left"})
said.set(title="a thing never said is said", xlabel="mass moved, to 0.001")

moves = {"rare fact up": "-", "rare fact down": "--", "usual tone up": ":"}
for level in (0.01, 0.1):
    regime.axhline(level, color="0.8", lw=0.7, zorder=0)
for (move, way), rows in quantity["departure from quadratic"].groupby(["move", "kl"]):
    if move in moves:
        regime.plot(rows["x"], rows["value"], color=WAYS[way], ls=moves[move])
regime.set(xscale="log", yscale="log", ylim=(2e-4, 20), xlim=(0.004, 4), title="the Fisher quadratic")
regime.set(xlabel="change of one logit", ylabel="|KL / ½δᵀFδ − 1|")
regime.set_yticks([0.001, 0.01, 0.1, 1, 10], ["0.001", "0.01", "0.1", "1", "10"])
regime.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
regime.legend(handles=[plt.Line2D([], [], color="0.3", ls=ls, label=m) for m, ls in moves.items()], loc="upper left")

pulls = {"forward": FORWARD, "reverse": REVERSE, "approximate": figures.COLOURS[1]}
once = quantity["equilibrium"].query("weight == 1")
for pull, colour in pulls.items():
    rows = once[once["pull"] == pull]
    line, dots = rows[rows["source"] == "predicted"], rows[rows["source"] == "simulated"]
    settled.plot(line["x"], line["value"], color=colour)
    settled.plot(dots["x"], dots["value"], "o", ms=3.5, color=colour)
settled.set(xscale="log", ylim=(0, 0.6), title="cross-entropy against an anchor")
settled.set(xlabel="reference's probability of the token", ylabel="where it settles")
names = {"forward": "forward", "reverse": "reverse", "approximate": "reverse, simplified"}
handles = [plt.Line2D([], [], color=colour, label=names[pull]) for pull, colour in pulls.items()]
settled.legend(handles=handles, loc="upper left", bbox_to_anchor=(0, 0.82))

kinds = ["anchor", "replay", "stratified replay"]
colours = [FORWARD, figures.COLOURS[2], figures.COLOURS[4]]
handles = drawing.overlay(noise, quantity["variance"], "estimator", colours, ms=3)
for handle, kind in zip(handles, kinds, strict=True):
    handle.set_label(kind)
noise.set(xscale="log", yscale="log", title="noise of the gradient", xlabel="batch size", ylabel="variance")
noise.legend(handles=handles, loc="lower left")

learners = quantity["distance from truth"]
anchor = learners[learners["learner"] != "replay"]
belief.plot(anchor["x"], anchor["value"], color=FORWARD)
drawing.overlay(belief, learners[learners["learner"] == "replay"], "learner", [figures.COLOURS[2]], ms=3)
belief.annotate("anchor on a mistaken model", (1000, anchor["value"].iloc[0]), (0, -10), ha="right", color=FORWARD,
                textcoords="offset points", fontsize=7)  # fmt: skip
belief.annotate("replay of true\nold examples", (30, 0.014), (4, 6), color=figures.COLOURS[2], fontsize=7,
                textcoords="offset points")  # fmt: skip
belief.set(xscale="log", ylim=(0, 0.22), title="a wrong belief", xlabel="old examples replayed")
belief.set(ylabel="distance from truth")
figures.save(figure, pdf, png)

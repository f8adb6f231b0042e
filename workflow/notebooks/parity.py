# %% [markdown]
# # What predicts forgetting?
#
# The three panels of figure 3 of *RL's Razor* (arXiv 2509.04259), from our points: every dot is a checkpoint of a
# policy that was fine-tuned on the parity of digits.
#
# 1. **Trade-off**: accuracy kept on clothes against accuracy gained on parity. Faint: all checkpoints; strong: each
#    base policy's Pareto frontier.
# 2. **Forgetting against forward KL** to the base on the new task, with the quadratic fitted to all points.
# 3. **Learning against forward KL**: what the same KL buys on the new task.

# %% tags=["parameters"]
points = curve = frontier = r2 = "results/default/…"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt
import pandas as pd

from forgetting import figures

figures.use_style()
names = figures.method_names(pd.read_parquet(points)["method"])
colours = figures.method_colours(names)


def checkpoints(path):
    """Checkpoints that did not diverge, accuracies in per cent, methods under their printed names."""
    frame = pd.read_parquet(path).query("not diverged")
    percent = {name: 100 * frame[name] for name in ["parity_accuracy", "fashion_accuracy", "forgetting"]}
    return frame.assign(**percent, method=pd.Categorical(frame["method"].map(names), list(names.values())))


every, best, fit = checkpoints(points), checkpoints(frontier), pd.read_parquet(curve)
forward = pd.read_csv(r2).query("predictor == 'forward_kl' and inputs == 'new' and points == 'all'").iloc[0]

# %%
figure, (trade, law, learning) = plt.subplots(1, 3, figsize=(figures.PAGE, 2.5))


def dots(ax, frame, x, y, **look):
    """A dot a checkpoint, in its method's colour."""
    ax.scatter(frame[x], frame[y], c=list(frame["method"].map(colours)), linewidth=0, rasterized=True, **look)


dots(trade, every, "parity_accuracy", "fashion_accuracy", s=5, alpha=0.2)
dots(trade, best, "parity_accuracy", "fashion_accuracy", s=8)
trade.set(
    xlabel="parity accuracy (new task), %",
    ylabel="clothes accuracy (old task), %",
    xlim=(88, 99),
    ylim=(0, 85),
    xticks=range(88, 100, 2),
)

dots(law, every, "forward_kl_new", "forgetting", s=6, alpha=0.5)
law.plot(fit["forward_kl_new"], 100 * fit["forgetting"], color="black")
law.text(0.97, 0.05, f"$R^2$ = {forward['r2']:.2f}", transform=law.transAxes, ha="right")
law.set(xlabel="KL(base ‖ policy), new task, nats", ylabel="forgetting, points of accuracy")

dots(learning, every, "forward_kl_new", "parity_accuracy", s=6, alpha=0.5)
learning.set(xlabel="KL(base ‖ policy), new task, nats", ylabel="parity accuracy (new task), %", ylim=(84, 100))

handles = [plt.Line2D([], [], color=colour, marker="o", ls="", ms=4, label=name) for name, colour in colours.items()]
figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handletextpad=0.1, columnspacing=1.2)
figures.save(figure, pdf, png)

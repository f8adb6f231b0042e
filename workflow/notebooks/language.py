# %% [markdown]
# # The same law on a language model
#
# The three panels of the parity figure, from a language model that was fine-tuned by trl; every dot is a checkpoint.
# The new task has many right answers, the old ones are several skills; forward KL is that of whole answers.
#
# 1. **Trade-off**: mean accuracy kept on old skills against accuracy gained on the new task.
# 2. **Forgetting against forward KL** to the base on the new task, with the quadratic fitted to all points.
# 3. **Learning against forward KL**.

# %% tags=["parameters"]
points = curve = law = "results/default/…"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt
import pandas as pd

from forgetting import figures

figures.use_style()
frame, fit = pd.read_parquet(points).query("not diverged"), pd.read_parquet(curve)
names = figures.method_names(frame["method"])
colours = figures.method_colours(names)
percent = {name: 100 * frame[name] for name in ["parity_accuracy", "fashion_accuracy", "forgetting"]}
frame = frame.assign(**percent, method=frame["method"].map(names))
forward = pd.read_csv(law).query("predictor == 'forward_kl' and points == 'all' and bases == 'all'").iloc[0]

# %%
figure, (trade, fitted, learning) = plt.subplots(1, 3, figsize=(figures.PAGE, 2.6))


def dots(ax, x, y):
    """A dot a checkpoint, in its method's colour."""
    ax.scatter(frame[x], frame[y], c=list(frame["method"].map(colours)), linewidth=0, s=8, alpha=0.6)


dots(trade, "parity_accuracy", "fashion_accuracy")
trade.set(xlabel="accuracy on the new task, %", ylabel="mean accuracy on old skills, %")

dots(fitted, "forward_kl_new", "forgetting")
fitted.plot(fit["forward_kl_new"], 100 * fit["forgetting"], color="black")
fitted.text(0.97, 0.05, f"$R^2$ = {forward['r2']:.2f}", transform=fitted.transAxes, ha="right")
fitted.set(xlabel="KL(base ‖ model), new task, nats", ylabel="forgetting, points of accuracy")

dots(learning, "forward_kl_new", "parity_accuracy")
learning.set(xlabel="KL(base ‖ model), new task, nats", ylabel="accuracy on the new task, %")

handles = [plt.Line2D([], [], color=colour, marker="o", ls="", ms=4, label=name) for name, colour in colours.items()]
figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handletextpad=0.1, columnspacing=1.2)
trade.set_title(forward["model"], loc="left", style="italic")
figures.save(figure, pdf, png)

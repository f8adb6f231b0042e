# %% [markdown]
# # What own samples can reach, and where the quadratic ends
#
# Left: accuracy on answers to which the base gives mass p, tabular policies: GRPO (dots) learns what it happens to
# sample, as 1 − (1 − p)^S says (line); SFT learns all. Middle: the same of networks, on the digits of the gap, with the
# thresholds that an image's own samples set and those of all images of the gap together: a network shares. Right: on
# the way to a trained policy, both KLs on clothes, their quadratics in the Fisher and in the plain distance of weights,
# and the change of the old loss: linear in the distance near the base (slope 1), where KL is quadratic (slope 2).

# %% tags=["parameters"]
curves = "results/default/…"
pdf = png = "figure"

# %%
import matplotlib.pyplot as plt
import pandas as pd

from forgetting import figures

figures.use_style()
frame = pd.read_parquet(curves)
GRPO, SFT = figures.COLOURS[3], figures.COLOURS[0]


def picked(quantity, **parameters):
    """One curve by its quantity and source or parameters."""
    rows = frame[frame["quantity"] == quantity]
    for name, value in parameters.items():
        rows = rows[rows["source"] == value] if name == "source" else rows[rows["parameters"] == f"{name}={value}"]
    return rows.sort_values("x")


# %%
figure, (tabular, network, near) = plt.subplots(1, 3, figsize=(figures.PAGE, 2.3))
predicted = picked("tabular accuracy", source="predicted")
tabular.plot(predicted["x"], predicted["value"], color=GRPO, label="GRPO, predicted")
measured = picked("tabular accuracy", source="simulated")
error = [measured["value"] - measured["low"], measured["high"] - measured["value"]]
tabular.errorbar(measured["x"], measured["value"], error, fmt="o", ms=3, color=GRPO, label="GRPO, simulated")
supervised = picked("tabular accuracy", source="computed")
tabular.plot(supervised["x"], supervised["value"], color=SFT, label="SFT")
tabular.legend(loc="center left", bbox_to_anchor=(-0.02, 0.68), fontsize=6)
tabular.set(xscale="log", ylim=(-0.03, 1.05), xlabel="base's mass on right answers, p", ylabel="accuracy, tabular")

for method, colour, name in (("grpo", GRPO, "GRPO"), ("sft_1", SFT, "SFT-1")):
    own = picked("accuracy on the gap", method=method)
    network.plot(own["x"], own["value"], color=colour, marker="o", ms=3, label=name)
    network.fill_between(own["x"], own["low"].clip(0), own["high"].clip(upper=1), color=colour, alpha=0.15, lw=0)
for samples in ("own", "shared"):
    (threshold,) = picked("threshold on the gap", samples=samples)["x"]
    network.axvline(threshold, color="0.5", lw=0.8, ls=":")
    network.text(threshold, 0.02, f"{samples} ", color="0.35", fontsize=6, rotation=90, ha="right", va="bottom")
network.legend(loc="upper left")
network.set(xscale="log", ylim=(-0.03, 1.05), xlabel="base's mass on right answers, p", ylabel="accuracy, network")

STYLES = {
    "forward": ("forward KL", figures.COLOURS[3], "-"),
    "reverse": ("reverse KL", figures.COLOURS[0], "-"),
    "full": ("½ΔᵀFΔ", "black", "--"),
    "diagonal": ("diagonal F", "0.5", "--"),
    "squared": ("½‖Δ‖²", "0.5", ":"),
    "loss": ("rise of old loss", figures.COLOURS[2], "-"),
}
for quantity, (name, colour, style) in STYLES.items():
    own = picked(quantity, towards="sft_1")
    own = own[own["value"] > 0]
    near.plot(own["x"], own["value"], color=colour, ls=style, label=name)
loss = picked("loss", towards="sft_1")
near.plot(
    loss["x"], -loss["value"].where(loss["value"] < 0), color=figures.COLOURS[2], ls=":", label="fall of old loss"
)
x = loss["x"].to_numpy()
for slope, start in ((1, loss["value"].abs().iloc[0]), (2, picked("full", towards="sft_1")["value"].iloc[0])):
    line = start * (x / x[0]) ** slope
    near.plot(x, line, color="0.8", lw=0.7, zorder=0)
    near.text(x[-1] * 1.1, line[-1], f"{slope}", color="0.35", fontsize=6, va="center")
near.set(xscale="log", yscale="log", xlabel="distance √(ΔᵀFΔ)", ylabel="clothes, nats", ylim=(1e-6, 200))
near.legend(loc="upper left", bbox_to_anchor=(-0.02, 1.03), handlelength=1.5, labelspacing=0.25, fontsize=6)
figures.save(figure, pdf, png)

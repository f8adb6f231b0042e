"""One style for every figure: widths in inches, one colour and one name a method throughout."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from forgetting.whole import whole_file

COLUMN, PAGE = 3.3, 6.9  # widths of a column and of a page of the paper

METHODS = {  # name in the config: name in print
    "sft_1": "SFT-1",
    "sft_2": "SFT-2",
    "sft_oracle": "SFT-oracle",
    "grpo": "GRPO",
    "grpo_kl": "GRPO + KL",
}
# Okabe and Ito's palette, told apart by readers of any colour vision; black is kept for fits and references.
COLOURS = ["#D55E00", "#E69F00", "#009E73", "#0072B2", "#56B4E9", "#CC79A7", "#8C6BB1", "#7F7F7F", "#A65628", "#F0E442"]


GREY = ".15"  # of text and axes


class Saved(NamedTuple):
    """A figure's files; a notebook shows the PNG."""

    pdf: Path
    png: Path

    def _repr_png_(self) -> bytes:
        return self.png.read_bytes()


def use_style() -> None:
    """Set matplotlib up: thin dark-grey axes without a frame, and the fonts that come with it, on every machine."""
    mpl.rcParams.update(
        {
            "font.sans-serif": ["DejaVu Sans"],
            "font.size": 8,
            "text.color": GREY,
            "axes.labelsize": 8,
            "axes.titlesize": 8,
            "axes.edgecolor": GREY,
            "axes.labelcolor": GREY,
            "axes.linewidth": 1.0,
            "axes.axisbelow": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": mpl.rcsetup.cycler(color=COLOURS),
            "grid.color": ".8",
            "legend.fontsize": 7,
            "legend.frameon": False,
            "lines.linewidth": 1.2,
            "lines.markersize": 4.8,
            "lines.solid_capstyle": "round",
            "patch.edgecolor": "w",
            "patch.force_edgecolor": True,
            "patch.linewidth": 0.8,
            "figure.constrained_layout.use": True,
            "savefig.dpi": 200,
            "pdf.fonttype": 42,
            "svg.hashsalt": "forgetting",
            "xtick.color": GREY,
            "xtick.labelsize": 7,
            "xtick.major.size": 4.8,
            "xtick.major.width": 1.0,
            "xtick.minor.size": 3.2,
            "xtick.minor.width": 0.8,
            "ytick.color": GREY,
            "ytick.labelsize": 7,
            "ytick.major.size": 4.8,
            "ytick.major.width": 1.0,
            "ytick.minor.size": 3.2,
            "ytick.minor.width": 0.8,
        }
    )


def method_names(methods: Iterable[str]) -> dict[str, str]:
    """Names in print of the methods, in the order known here; a user's own come last, under their own names."""
    present = list(dict.fromkeys(methods))
    known = [method for method in METHODS if method in present]
    return {m: METHODS.get(m, m.replace("_", " ")) for m in [*known, *sorted(set(present) - set(known))]}


def method_colours(methods: Iterable[str]) -> dict[str, str]:
    """Colour of each method by its name in print; the known ones keep theirs whoever else is in the figure."""
    names = method_names(methods)
    fixed = dict(zip(METHODS, COLOURS, strict=False))
    spare = iter([c for c in COLOURS if c not in fixed.values()] * len(names))
    return {name: fixed.get(method) or next(spare) for method, name in names.items()}


def save(figure: Figure, pdf: Path | str, png: Path | str) -> Saved:
    """Write a figure as PDF without dates, and as PNG; each whole or not at all, laid out once. It is closed then."""
    with whole_file(pdf) as partial:
        figure.savefig(partial, metadata={"CreationDate": None})
    figure.set_layout_engine("none")
    with whole_file(png) as partial:
        figure.savefig(partial)
    plt.close(figure)
    return Saved(Path(pdf), Path(png))

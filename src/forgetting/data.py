"""From raw images to what a policy sees: drawn, scaled, flattened, with the task indicator as last input.

Two tasks share one policy and its ten outputs. New task: the parity of digits (indicator +1). Old task: the class
of clothes (indicator −1).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from forgetting import seeds
from forgetting.sources import Bytes, load_raw
from forgetting.whole import whole_file

PARITY, CLOTHES = 1.0, -1.0  # task indicators
PIXELS = {"unit": (0.0, 1.0), "standardised": (0.1307, 0.3081)}  # mean and deviation taken off x/255; MNIST's


@dataclass(frozen=True)
class Images:
    """Inputs `x` [n, 785] float32 and labels [n] int64 (the digit, or the class of clothes)."""

    x: Tensor
    label: Tensor

    def take(self, rows: Tensor) -> "Images":
        """The images at `rows`."""
        return Images(self.x[rows], self.label[rows])


@dataclass(frozen=True)
class Tasks:
    """Training and test images of the new task (digits) and the old one (clothes)."""

    digits: Images
    clothes: Images
    digits_test: Images
    clothes_test: Images


def prepare(destination: Path, *, source: str, folder: Path | None, cache: Path, digits: int, test_images: int) -> None:
    """Write the images that a preset uses, raw, to one `.npz`: `digits` training digits, all training clothes
    that the source has, and `test_images` of each test set, drawn without replacement.

    The draw is random because the published test set of MNIST is not shuffled: its second half is harder.
    Raises DataError as `load_raw` does.
    """
    raw = load_raw(source, folder, cache)

    def drawn(name: str, count: int | None = None) -> tuple[Bytes, Bytes]:
        images, labels = raw[name]
        rows = seeds.numpy_generator("data", name).permutation(len(labels))[:count]
        return images[rows], labels[rows]

    splits = {
        "digits": drawn("mnist/train", digits),
        "clothes": drawn("fashion-mnist/train"),
        "digits_test": drawn("mnist/test", test_images),
        "clothes_test": drawn("fashion-mnist/test", test_images),
    }
    arrays = {f"{name}_{kind}": a for name, pair in splits.items() for kind, a in zip("xy", pair, strict=True)}
    with whole_file(destination) as partial, partial.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def inputs(images: Bytes, task: float, pixels: str = "unit") -> Tensor:
    """[n, 28, 28] bytes → [n, 785] float32: pixels scaled as `pixels` says, then the task indicator."""
    mean, deviation = PIXELS[pixels]
    x = torch.empty(len(images), images[0].size + 1)
    x[:, :-1] = torch.from_numpy(images.reshape(len(images), -1)).to(torch.float32) / 255
    x[:, :-1].sub_(mean).div_(deviation)
    x[:, -1] = task
    return x


def load(path: Path, pixels: str = "unit", digits: int | None = None, test_images: int | None = None) -> Tasks:
    """The tasks in an `.npz` that `prepare` wrote; of its training digits and of each test set, which are shuffled, the
    first `digits` and `test_images`."""
    with np.load(path, allow_pickle=False) as arrays:

        def images(name: str, task: float, count: int | None = None) -> Images:
            x, label = arrays[f"{name}_x"][:count], arrays[f"{name}_y"][:count]
            return Images(inputs(x, task, pixels), torch.from_numpy(label.astype(np.int64)))

        return Tasks(
            images("digits", PARITY, digits),
            images("clothes", CLOTHES),
            images("digits_test", PARITY, test_images),
            images("clothes_test", CLOTHES, test_images),
        )

"""Build the shipped images from the full, published IDX files.

    python tools/bundle_images.py FOLDER      # FOLDER/mnist and FOLDER/fashion-mnist hold the IDX files, gzipped or not

Writes src/forgetting/images: all of MNIST, Fashion-MNIST's test set, the first 1,000 training images of each
class of Fashion-MNIST (in the published order), and checksums.json. The published files are verified first.
Running it again writes the same bytes.
"""

import gzip
import json
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np

from forgetting.sources import BUNDLED, PARTS, SUBSET, TRAIN, Bytes, idx_bytes, in_folder, read_verified

PUBLISHED = {
    "mnist": (
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
    "fashion-mnist": (
        "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
    ),
}
IMAGES_PER_CLASS = 1_000


def stratified(images: Bytes, labels: Bytes, per_class: int) -> tuple[Bytes, Bytes]:
    """The first `per_class` images of each of the ten classes, in their published order."""
    chosen = np.sort(np.concatenate([np.flatnonzero(labels == c)[:per_class] for c in range(10)]))
    return images[chosen], labels[chosen]


def write(name: str, part: str, array: Bytes) -> str:
    """Write one gzipped IDX file; returns the SHA-256 of its uncompressed content."""
    content = idx_bytes(array)
    path = BUNDLED / name / f"{part}.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0))
    return sha256(content).hexdigest()


def main(folder: Path) -> None:
    """Verify, cut, write."""
    sums = {name: dict(zip(PARTS, digests, strict=True)) for name, digests in PUBLISHED.items()}
    arrays = {
        (name, part): read_verified(in_folder(folder, name, part), sums[name][part]) for name in sums for part in PARTS
    }
    for (name, part), array in arrays.items():
        if name == "mnist" or part not in TRAIN:
            assert write(name, part, array) == sums[name][part]
    subset = stratified(*(arrays["fashion-mnist", part] for part in TRAIN), per_class=IMAGES_PER_CLASS)
    sums[SUBSET] = {part: write(SUBSET, part, array) for part, array in zip(TRAIN, subset, strict=True)}
    (BUNDLED / "checksums.json").write_text(json.dumps(sums, indent=2) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))

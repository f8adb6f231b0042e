"""Where the raw images come from: the files shipped here, a folder of the user's, or the public mirrors.

Every IDX file is verified by the SHA-256 of its uncompressed content, whatever its compression. The sums are in
`images/checksums.json`, written by `tools/bundle_images.py`.
"""

import gzip
import json
import struct
import zlib
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
BUNDLED = Path(__file__).parent / "images"
PARTS = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
TRAIN, TEST = PARTS[:2], PARTS[2:]
SUBSET = "fashion-mnist-10k"  # what is shipped of Fashion-MNIST's training set: 1,000 images a class
MIRRORS = {
    "mnist": (
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
    "fashion-mnist": (
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
        "https://fashion-mnist.s3.eu-central-1.amazonaws.com/",
    ),
}


class DataError(Exception):
    """An image file is missing, corrupt or out of reach; the message is one sentence for the user."""


@cache
def checksums() -> dict[str, dict[str, str]]:
    """SHA-256 of every uncompressed IDX file, by set and file name."""
    sums: dict[str, dict[str, str]] = json.loads((BUNDLED / "checksums.json").read_text())
    return sums


def uncompressed(path: Path) -> bytes:
    """Content of an IDX file, gzipped or not."""
    content = path.read_bytes()
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as fault:
        raise DataError(f"{path} is not a whole gzip file ({fault}): fetch it again.") from fault


def parse_idx(content: bytes) -> Bytes:
    """Array of unsigned bytes in the IDX layout: magic 0x000008dd (dd = number of axes), big-endian sizes, data."""
    axes = content[3]
    shape = struct.unpack_from(f">{axes}I", content, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


def idx_bytes(array: Bytes) -> bytes:
    """Inverse of `parse_idx`."""
    return struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape) + array.tobytes()


def read_verified(path: Path, digest: str) -> Bytes:
    """Array in the IDX file at `path`, or a DataError when its content does not have this SHA-256."""
    content = uncompressed(path)
    found = sha256(content).hexdigest()
    if found != digest:
        raise DataError(
            f"{path} has the wrong content (SHA-256 {found[:12]}…, expected {digest[:12]}…): "
            "replace it with the published file."
        )
    return parse_idx(content)


def in_folder(folder: Path, name: str, part: str) -> Path:
    """File `part` of set `name` in the user's folder: in a subfolder of that name, gzipped or not."""
    candidates = [folder / name / f"{part}{suffix}" for suffix in ("", ".gz")]
    for path in candidates:
        if path.is_file():
            return path
    raise DataError(
        f"data.folder lacks {candidates[0]} (or the same with .gz): "
        "put the four IDX files of each set into <folder>/mnist and <folder>/fashion-mnist."
    )


def check_folder(folder: Path | None) -> None:
    """Raise a DataError unless `folder` holds both whole sets with the published content."""
    if folder is None or not folder.is_dir():
        raise DataError(f"data.folder is {folder}, which is not a folder: name one that holds the IDX files.")
    paths = {(name, part): in_folder(folder, name, part) for name in MIRRORS for part in PARTS}
    for (name, part), path in paths.items():
        read_verified(path, checksums()[name][part])


def download(cache_folder: Path, name: str, part: str) -> Path:
    """Fetch one gzipped file into `cache_folder` from the first mirror that serves the right content.

    The content is verified before the file appears under its name, so a broken download leaves nothing.
    """
    import pooch

    target = cache_folder / name / f"{part}.gz"
    if target.is_file() and sha256(uncompressed(target)).hexdigest() == checksums()[name][part]:
        return target
    failures = []
    for mirror in MIRRORS[name]:
        trial = target.with_suffix(".part")
        try:
            pooch.retrieve(
                f"{mirror}{part}.gz", known_hash=None, path=trial.parent, fname=trial.name, progressbar=False
            )
            read_verified(trial, checksums()[name][part])
            trial.replace(target)
            return target
        except (OSError, ValueError, DataError) as fault:
            failures.append(f"{mirror} ({type(fault).__name__})")
        finally:
            trial.unlink(missing_ok=True)
    raise DataError(
        f"Could not download {name}/{part}.gz from {' or '.join(failures)}: "
        "check the network, or set data.source to bundled (offline) or folder."
    )


def load_raw(source: str, folder: Path | None, cache_folder: Path) -> dict[str, tuple[Bytes, Bytes]]:
    """Verified images [n, 28, 28] and labels [n] of `mnist` and `fashion-mnist`, each for `train` and `test`.

    `source` is `bundled` (all of MNIST, 10,000 training clothes), `folder` or `download` (all of both).
    Raises DataError with one sentence when a file is missing, corrupt or out of reach.
    """

    def array(name: str, part: str) -> Bytes:
        if source == "bundled":
            name = SUBSET if (name, part) in {("fashion-mnist", p) for p in TRAIN} else name
            path = BUNDLED / name / f"{part}.gz"
        elif source == "folder":
            path = in_folder(Path(folder or ""), name, part)
        else:
            path = download(cache_folder, name, part)
        return read_verified(path, checksums()[name][part])

    splits = {"train": TRAIN, "test": TEST}
    return {
        f"{name}/{split}": (array(name, images), array(name, labels))
        for name in MIRRORS
        for split, (images, labels) in splits.items()
    }

"""Raw images: verified by content, from wherever they come; a fault is one sentence and leaves nothing behind."""

import gzip
import http.server
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from forgetting import sources
from forgetting.sources import BUNDLED, PARTS, DataError, checksums, idx_bytes, load_raw, parse_idx, read_verified


def test_idx_round_trip():
    array = np.random.default_rng(0).integers(0, 256, (3, 4, 5), dtype=np.uint8)
    assert (parse_idx(idx_bytes(array)) == array).all()


def test_shipped_images_are_whole():
    raw = load_raw("bundled", None, Path("unused"))
    sizes = {"mnist/train": 60_000, "mnist/test": 10_000, "fashion-mnist/train": 10_000, "fashion-mnist/test": 10_000}
    assert {name: len(labels) for name, (_, labels) in raw.items()} == sizes
    assert all(images.shape == (len(labels), 28, 28) for images, labels in raw.values())
    assert np.bincount(raw["fashion-mnist/train"][1]).tolist() == [1_000] * 10


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both sets, whole as far as this test knows: the shipped clothes stand in for all of them."""
    shipped = checksums()
    sums = {**shipped, "fashion-mnist": {**shipped["fashion-mnist"], **shipped["fashion-mnist-10k"]}}
    monkeypatch.setattr(sources, "checksums", lambda: sums)
    for name in ("mnist", "fashion-mnist"):
        shutil.copytree(BUNDLED / name, tmp_path / name)
    shutil.copytree(BUNDLED / "fashion-mnist-10k", tmp_path / "fashion-mnist", dirs_exist_ok=True)
    return tmp_path


def test_folder_gzipped_or_not(folder: Path):
    zipped = folder / "mnist" / f"{PARTS[3]}.gz"
    (folder / "mnist" / PARTS[3]).write_bytes(gzip.decompress(zipped.read_bytes()))
    zipped.unlink()
    sources.check_folder(folder)
    raw, shipped = load_raw("folder", folder, folder), load_raw("bundled", None, folder)
    assert all((raw[name][0] == shipped[name][0]).all() for name in raw)


def test_folder_without_files(tmp_path: Path):
    with pytest.raises(DataError, match=r"lacks .*train-images-idx3-ubyte.*put the four IDX files"):
        sources.check_folder(tmp_path)
    with pytest.raises(DataError, match="not a folder"):
        sources.check_folder(tmp_path / "nowhere")


def test_flipped_byte(folder: Path):
    zipped = folder / "mnist" / f"{PARTS[0]}.gz"
    content = bytearray(gzip.decompress(zipped.read_bytes()))
    content[1000] ^= 1
    zipped.write_bytes(gzip.compress(bytes(content), 1))
    with pytest.raises(DataError, match=r"wrong content \(SHA-256 .*replace it"):
        sources.check_folder(folder)


def test_broken_gzip(tmp_path: Path):
    whole = (BUNDLED / "mnist" / f"{PARTS[3]}.gz").read_bytes()
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="not a whole gzip file"):
        read_verified(tmp_path / "cut.gz", "")


class Server:
    """A mirror on the loopback that serves a folder."""

    def __init__(self, folder: Path) -> None:
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args: object) -> None:
                super().__init__(*args, directory=str(folder))  # type: ignore[arg-type]

            def log_message(self, *args: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


def test_download_takes_the_mirror_with_the_right_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name, part = "mnist", PARTS[3]
    good, bad, cache = tmp_path / "good", tmp_path / "bad", tmp_path / "cache"
    shutil.copytree(BUNDLED / name, good)
    bad.mkdir()
    (bad / f"{part}.gz").write_bytes(gzip.compress(b"not the labels"))
    wrong, right = Server(bad), Server(good)
    monkeypatch.setitem(sources.MIRRORS, name, (wrong.url, right.url))
    path = sources.download(cache, name, part)
    assert len(read_verified(path, checksums()[name][part])) == 10_000
    right.server.shutdown()
    assert sources.download(cache, name, part) == path  # from the cache, without the network
    wrong.server.shutdown()


def test_failed_download_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / f"{PARTS[3]}.gz").write_bytes(b"\x1f\x8bnonsense")
    server = Server(tmp_path / "bad")
    monkeypatch.setitem(sources.MIRRORS, "mnist", (server.url, "http://127.0.0.1:9/"))
    with pytest.raises(DataError, match=r"Could not download .* or .*: check the network, or set data\.source"):
        sources.download(tmp_path / "cache", "mnist", PARTS[3])
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    server.server.shutdown()


def test_mirrors_are_several_and_secure():
    assert all(len(urls) >= 2 and all(url.startswith("https://") for url in urls) for urls in sources.MIRRORS.values())

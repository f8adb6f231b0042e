"""What a policy sees."""

from pathlib import Path

import numpy as np
import pytest
import torch

from forgetting import data, seeds
from forgetting.data import Tasks
from forgetting.whole import whole_file


def test_indicator_and_scale(tasks: Tasks):
    for images, indicator in ((tasks.digits, 1.0), (tasks.clothes, -1.0), (tasks.clothes_test, -1.0)):
        assert images.x.shape == (len(images.label), 785)
        assert (images.x[:, -1] == indicator).all()
        assert images.x[:, :-1].min() == 0
        assert images.x[:, :-1].max() == 1


def test_standardised_pixels_undo(npz: Path, tasks: Tasks):
    mean, deviation = data.PIXELS["standardised"]
    other = data.load(npz, "standardised").digits.x[:, :-1]
    torch.testing.assert_close(other * deviation + mean, tasks.digits.x[:, :-1], atol=1e-6, rtol=0)


def test_prepared_images_are_drawn_without_replacement_and_alike(tmp_path: Path, npz: Path):
    again = tmp_path / "again.npz"
    data.prepare(again, source="bundled", folder=None, cache=tmp_path, digits=640, test_images=200)
    assert again.read_bytes() == npz.read_bytes()
    with np.load(again) as arrays:
        assert {name: len(arrays[name]) for name in arrays if name.endswith("_y")} == {
            "digits_y": 640,
            "clothes_y": 10_000,
            "digits_test_y": 200,
            "clothes_test_y": 200,
        }
        assert len(np.unique(arrays["digits_x"], axis=0)) == 640


def test_more_digits_begin_with_the_same(tmp_path: Path, tasks: Tasks):
    more = tmp_path / "more.npz"
    data.prepare(more, source="bundled", folder=None, cache=tmp_path, digits=700, test_images=200)
    assert torch.equal(data.load(more).digits.x[:640], tasks.digits.x)


def test_seed_tree():
    assert seeds.seed("a", 1) == seeds.seed("a", 1)
    assert (
        len({seeds.seed("a", 1), seeds.seed("a", 11), seeds.seed("a1"), seeds.seed("a", 1, 1), seeds.seed("a1", 1)})
        == 5
    )
    with pytest.raises(ValueError, match="needs a path"):
        seeds.seed()
    before = torch.random.get_rng_state()
    torch.rand(5, generator=seeds.generator("a"))
    assert torch.equal(before, torch.random.get_rng_state())


def test_whole_file_or_none(tmp_path: Path):
    target = tmp_path / "deep" / "file.txt"
    with pytest.raises(RuntimeError), whole_file(target) as partial:
        partial.write_text("half")
        raise RuntimeError
    assert list(target.parent.iterdir()) == []
    with whole_file(target) as partial:
        partial.write_text("whole")
    assert [p.name for p in target.parent.iterdir()] == ["file.txt"]

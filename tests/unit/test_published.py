"""results/published: what is kept, what may move, and what may not."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from forgetting import config
from forgetting.comparison import Tolerance, compare, moved, verify
from forgetting.config import ConfigError
from forgetting.kept import check_published, publish
from tests.unit.test_config import changed

NAMES = ["points.parquet", "mixture/trap/curves.parquet", "claims.csv"]
CONFIG = {"preset": "default", "base": {"seeds": [0, 1]}}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Results of a run that was published beside them."""
    results = tmp_path / "run"
    (results / "mixture/trap").mkdir(parents=True)
    points = pd.DataFrame({"method": ["a", "b", "c"], "step": [1, 2, 3], "forgetting": [0.1, np.nan, 0.3]})
    points.to_parquet(results / "points.parquet")
    pd.DataFrame({"x": [0.0, 1.0], "value": [1.0, -2.0]}).to_parquet(results / "mixture/trap/curves.parquet")
    pd.DataFrame({"id": ["M1"], "ours": [0.9], "verdict": ["reproduced"]}).to_csv(results / "claims.csv", index=False)
    publish(files(results), tmp_path / "published", CONFIG)
    return results


def files(results: Path) -> dict[str, Path]:
    return {name: results / name for name in NAMES}


def rewrite(file: Path, column: str, row: int, value: object) -> None:
    frame = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file)
    frame.loc[row, column] = value
    frame.to_parquet(file) if file.suffix == ".parquet" else frame.to_csv(file, index=False)


def test_a_run_is_as_its_published_self(run: Path):
    text, within = verify(files(run), run.parent / "published", CONFIG)
    assert within and text.count("the same bytes") == len(NAMES)


@pytest.mark.parametrize(
    ("file", "column", "row", "value", "within"),
    [
        ("points.parquet", "forgetting", 2, 0.31, True),
        ("points.parquet", "forgetting", 2, 0.35, False),
        ("points.parquet", "forgetting", 1, 0.3, False),  # a number where there was none
        ("points.parquet", "forgetting", 0, np.nan, False),
        ("points.parquet", "method", 0, "b", False),
        ("points.parquet", "step", 0, 2, False),
        ("mixture/trap/curves.parquet", "value", 1, -2.000001, True),
        ("mixture/trap/curves.parquet", "value", 1, -2.00001, False),
        ("claims.csv", "verdict", 0, "partly", False),
    ],
)
def test_what_moved_is_said_and_what_moved_too_far_fails(
    run: Path, file: str, column: str, row: int, value: object, within: bool
):
    rewrite(run / file, column, row, value)
    text, fine = verify(files(run), run.parent / "published", CONFIG)
    assert fine == within
    assert f"{column}: " in text and f"row {row}" in text and ("TOO FAR" in text) == (not within)
    assert text.count("the same bytes") == len(NAMES) - 1


def test_size_of_a_move():
    move = moved("x", pd.Series([1.0, 2.5]), pd.Series([1.0, 2.0]), Tolerance(0.5, 0.0))
    assert move and (move.most, move.row, move.rows, move.beyond) == (0.5, 1, 1, False)
    assert moved("x", pd.Series([np.inf, np.nan]), pd.Series([np.inf, np.nan]), Tolerance(0, 0)) is None


def test_a_missing_row_and_an_unpublished_file_fail(run: Path):
    file = run / "points.parquet"
    pd.read_parquet(file).head(2).to_parquet(file)
    assert "2 rows, 3 columns; published: 3 rows" in compare("points.parquet", file, run.parent / "published")[0]
    assert compare("new.parquet", file, run.parent / "published") == ("new.parquet: not published", False)


def test_another_config_is_named(run: Path):
    text, _ = verify(files(run), run.parent / "published", {**CONFIG, "base": {"seeds": [0]}})
    assert text.startswith("config base: another")


def test_publishing_again_leaves_nothing_behind(run: Path):
    publish({NAMES[0]: run / NAMES[0]}, run.parent / "published", CONFIG)
    kept = {p.name for p in (run.parent / "published").rglob("*") if p.is_file()}
    assert kept == {"points.parquet", "config.json"}


def test_published_points_are_asked_for_in_vain(tmp_path: Path):
    asked = config.validate(changed("points", "published"))
    assert asked.results() == "results/from-published"
    with pytest.raises(ConfigError, match="holds no published run"):
        check_published(asked, tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"preset": "smoke"}))
    with pytest.raises(ConfigError, match="preset smoke, not default"):
        check_published(asked, tmp_path)


@pytest.mark.parametrize("preset", ["published", "from-published"])
def test_no_run_writes_to_the_published_folders(preset: str):
    with pytest.raises(ConfigError, match="no run may write"):
        config.validate(changed("preset", preset))

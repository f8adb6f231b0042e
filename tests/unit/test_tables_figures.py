"""Frames in, files out: published columns beside ours, special characters kept, one colour a method."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from forgetting import figures, tables
from forgetting.figures import method_colours, method_names
from tests.conftest import ROOT

PUBLISHED = pd.read_csv(ROOT / "src/forgetting/published/r2.csv")


@pytest.fixture
def r2() -> pd.DataFrame:
    predictors = [("weight_l1", "-"), ("forward_kl", "new"), ("my_own", "old")]
    return pd.DataFrame(
        [
            {
                "predictor": p,
                "inputs": i,
                "points": s,
                "r2": 0.5,
                "low": 0.4,
                "high": 0.6,
                "n": 10,
                "n_diverged": 2,
                "coverage": 0.8,
            }
            for p, i in predictors
            for s in tables.SELECTIONS
        ]
    )


def test_what_the_paper_gives_no_value_for_stays_text(r2: pd.DataFrame):
    cells = tables.predictor_cells(tables.predictors(r2.replace({"weight_l1": "rank"}), PUBLISHED))
    assert cells.set_index("predictor").loc["numerical rank of the update", "published"] == "N/A in the paper"


def test_predictors_stand_beside_what_was_published(r2: pd.DataFrame):
    table = tables.predictors(r2, PUBLISHED)
    assert table["label"].tolist() == ["forward KL, new task", "weight change, L1", "my own, old task"]
    assert table["paper"].tolist()[:2] == [0.96, 0.34] and np.isnan(table["paper"][2])
    assert table["sakana"].tolist()[:2] == [0.94, 0.32]
    assert (table["n_diverged_all"] == 2).all()
    shuffled = tables.predictors(r2.sample(frac=1, random_state=0), PUBLISHED)
    pd.testing.assert_frame_equal(table, shuffled)


def test_latex(r2: pd.DataFrame, tmp_path: Path):
    cells = tables.predictor_cells(tables.predictors(r2, PUBLISHED))
    tables.write_latex(cells, tmp_path / "t.tex", "l" + "c" * (len(cells.columns) - 1))
    text = (tmp_path / "t.tex").read_text()
    assert r"\toprule" in text and r"\bottomrule" in text
    assert r"$0.96 \pm 0.01$" in text and "--" in text
    assert "2 diverged" in text
    assert r"nominal 95 \%, covered 80 \%" in text


def test_underscores_and_percent_signs_survive_latex(tmp_path: Path):
    assert tables.escape("my_own 100 % & more") == r"my\_own 100 \% \& more"
    assert tables.escape("δ^2 {a} \\b") == r"δ\textasciicircum{}2 \{a\} \textbackslash{}b"


def test_known_methods_keep_their_colours():
    alone = method_colours(["grpo"])
    among = method_colours(["mine", "grpo", "sft_1", "another_one"])
    assert among["GRPO"] == alone["GRPO"]
    assert list(method_names(["mine", "grpo", "sft_1"])) == ["sft_1", "grpo", "mine"]
    assert len(set(among.values())) == 4


def test_figure_bytes_repeat(tmp_path: Path):
    for name in ("a", "b"):
        figures.use_style()
        figure, axes = plt.subplots(figsize=(figures.COLUMN, 2))
        axes.plot([0, 1], label="KL ‖ _±%")
        figures.save(figure, tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
        plt.close(figure)
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_coverage_is_the_lowest_over_laws():
    study = pd.DataFrame(
        {
            "interval": ["a", "a", "b", "b", "a"],
            "seeds": [2, 2, 2, 5, 5],
            "quantity": ["all"] * 5,
            "coverage": [0.9, 0.7, 0.8, 0.95, 0.5],
        }
    )
    table = tables.coverage_table(pd.concat([study, study.assign(quantity="final", coverage=0.1)]))
    assert table.set_index("interval").loc["a"].tolist() == [0.7, 0.5]
    assert tables.coverage_cells(table).set_index("interval, by base policies").loc["b"].tolist() == ["80", "95"]

"""Notebooks: the same bytes on every run, and the executed copy kept when a cell raises."""

from pathlib import Path

import nbformat
import papermill
import pytest

from forgetting.notebooks import execute

SOURCE = """# %% tags=["parameters"]
word = "default"

# %%
print(word)

# %%
assert word != "bad", "a fault in a cell"
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "notebook.py"
    path.write_text(SOURCE)
    return path


def test_runs_with_parameters_and_repeats(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("JUPYTER_PATH", "/nowhere")  # no kernel of the user's is needed
    for name in ("a", "b"):
        execute(source, tmp_path / f"{name}.ipynb", {"word": "given"})
    assert (tmp_path / "a.ipynb").read_bytes() == (tmp_path / "b.ipynb").read_bytes()
    cells = nbformat.read(tmp_path / "a.ipynb", as_version=4).cells
    assert any("given" in str(cell.get("outputs")) for cell in cells)


def test_failed_notebook_is_kept(source: Path, tmp_path: Path):
    with pytest.raises(papermill.PapermillExecutionError, match="a fault in a cell"):
        execute(source, tmp_path / "kept.ipynb", {"word": "bad"})
    assert "AssertionError" in (tmp_path / "kept.ipynb").read_text()

"""Notebooks: the same bytes on every run, the executed copy kept when a cell raises; many at once; no display."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from forgetting.notebooks import execute
from tests.conftest import ROOT

SOURCE = """# %% tags=["parameters"]
word = "default"

# %%
print(word)
{"word": word}

# %%
assert word != "bad", "a fault in a cell"

# %%
word.upper();
"""
DRAWS = """# %%
import matplotlib.pyplot as plt

figure = plt.figure(figsize=(1, 1))
figure.savefig(png)
"""
MANY = 16


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "notebook.py"
    path.write_text(SOURCE)
    return path


def cells(path: Path) -> list[nbformat.NotebookNode]:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_runs_with_parameters_and_repeats(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("a", "b"):
        monkeypatch.setenv("IPYTHONDIR", str(tmp_path / name))  # nothing of the user's is read
        execute(source, tmp_path / f"{name}.ipynb", {"word": "given"})
        assert not (tmp_path / name).exists()
    assert (tmp_path / "a.ipynb").read_bytes() == (tmp_path / "b.ipynb").read_bytes()
    defaults, given, shows, _, draws = cells(tmp_path / "a.ipynb")
    assert "default" in defaults.source and given.source == "word = 'given'"
    assert shows.outputs[0].text == "given\n" and shows.outputs[1].data["text/plain"] == "{'word': 'given'}"
    assert not draws.outputs  # a value before a semicolon is not shown
    assert [cell.execution_count for cell in (defaults, given, shows)] == [1, 2, 3]


def test_failed_notebook_is_kept_and_run_again(source: Path, tmp_path: Path):
    with pytest.raises(AssertionError, match="a fault in a cell"):
        execute(source, tmp_path / "kept.ipynb", {"word": "bad"})
    *_, shows, fails, after = cells(tmp_path / "kept.ipynb")
    assert shows.outputs and not after.outputs
    assert fails.outputs[0].ename == "AssertionError" and "a fault in a cell" in "".join(fails.outputs[0].traceback)
    execute(source, tmp_path / "kept.ipynb", {"word": "good"})
    assert "AssertionError" not in (tmp_path / "kept.ipynb").read_text()


def test_a_cell_that_cannot_be_parsed_is_told(tmp_path: Path):
    (tmp_path / "notebook.py").write_text("# %%\nx = = 1\n")
    with pytest.raises(SyntaxError):
        execute(tmp_path / "notebook.py", tmp_path / "kept.ipynb", {})
    assert "SyntaxError" in (tmp_path / "kept.ipynb").read_text()


def test_a_stale_copy_does_not_win_over_the_source(source: Path, tmp_path: Path):
    stale = source.with_suffix(".ipynb")
    stale.write_text("not a notebook")
    execute(source, tmp_path / "new.ipynb", {})
    source.write_text(SOURCE.replace("print(word)", "print('edited')"))
    execute(source, tmp_path / "new.ipynb", {})
    assert any("edited" in str(cell.outputs) for cell in cells(tmp_path / "new.ipynb"))
    assert stale.read_text() == "not a notebook"


def test_drawing_needs_no_display(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("MPLBACKEND", "TkAgg")
    source.write_text(DRAWS)
    execute(source, tmp_path / "drawn.ipynb", {"png": str(tmp_path / "drawn.png")})
    assert (tmp_path / "drawn.png").stat().st_size


def test_many_at_once_lose_none(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    program = "import sys; from forgetting.notebooks import execute; execute(sys.argv[1], sys.argv[2], {'word': 'x'})"
    started = [
        subprocess.Popen([sys.executable, "-c", program, source, tmp_path / f"{n}.ipynb"], stdout=subprocess.DEVNULL)
        for n in range(MANY)
    ]
    assert [process.wait() for process in started] == [0] * MANY
    assert len({(tmp_path / f"{n}.ipynb").read_bytes() for n in range(MANY)}) == 1

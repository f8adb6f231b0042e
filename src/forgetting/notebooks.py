"""Run a jupytext percent file as a notebook: no kernel registered, no port, no date in the result."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def execute(source: Path | str, executed: Path | str, parameters: Mapping[str, object]) -> None:
    """Execute the notebook at `source` with `parameters`, writing `executed` (.ipynb) as it goes.

    When a cell raises, `executed` holds the notebook up to there with the traceback, and the exception is raised
    again. When all is well it holds the same bytes on every run: no times, no cell ids drawn at random.
    """
    with tempfile.TemporaryDirectory(prefix="nb-") as folder:  # short: the path of a unix socket has 107 bytes at most
        use_private_jupyter(Path(folder))
        # Imported after the environment is set, which they read when imported.
        import jupytext
        import nbformat
        import papermill
        from traitlets.config import Config

        notebook = jupytext.read(source, fmt="py:percent")
        notebook.metadata["kernelspec"] = {"name": "python3", "language": "python", "display_name": "Python 3"}
        notebook.metadata.pop("jupytext", None)
        # Sockets in a folder of our own instead of TCP ports: two notebooks cannot take each other's.
        sockets = Config({"KernelManager": {"transport": "ipc", "ip": str(Path(folder, "k"))}})
        Path(executed).parent.mkdir(parents=True, exist_ok=True)
        done = papermill.execute_notebook(
            notebook,
            str(executed),
            parameters=dict(parameters),
            kernel_name="python3",
            progress_bar=False,
            log_output=True,
            start_timeout=300,
            config=sockets,
            record_timing=False,
        )
        without_times(done)
        nbformat.write(done, str(executed))


def use_private_jupyter(folder: Path) -> None:
    """Point Jupyter's and IPython's folders into `folder`, so that nothing of the user's is read or written."""
    folders = {
        "JUPYTER_RUNTIME_DIR": "r",
        "JUPYTER_DATA_DIR": "d",
        "JUPYTER_CONFIG_DIR": "c",
        "IPYTHONDIR": "i",
    }
    for variable, name in folders.items():
        Path(folder, name).mkdir()
        os.environ[variable] = str(Path(folder, name))
    os.environ.pop("JUPYTER_PATH", None)
    os.environ.update(
        JUPYTER_PREFER_ENV_PATH="1",
        JUPYTER_NO_CONFIG="1",
        JUPYTER_PLATFORM_DIRS="1",
        PYDEVD_DISABLE_FILE_VALIDATION="1",
        MPLBACKEND="module://matplotlib_inline.backend_inline",
        PYTHONHASHSEED="0",
    )


def without_times(notebook: "nbformat.NotebookNode") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Drop from an executed notebook, in place, all that differs from run to run."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)

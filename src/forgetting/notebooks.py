"""Run a jupytext percent file as a notebook, in this process: no kernel, no port, no date in the result.

A job that runs a notebook is a process of its own anyway, so that a kernel beside it would isolate nothing; without
one a notebook costs what its imports and its drawing cost, and no two can get in each other's way.
"""

import os
import tempfile
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from traitlets import Type
from traitlets.config import Config

from forgetting.whole import write_text

PARAMETERS = "parameters"  # tag of the cell with defaults, after which the given values are put


class ValueKept(DisplayHook):
    """A cell's value goes into the notebook, and is not printed."""

    def __call__(self, result: object = None) -> None:
        """Keep `result`, unless the cell ends in a semicolon."""
        if result is not None and not self.quiet():  # type: ignore[no-untyped-call]
            self.fill_exec_result(result)  # type: ignore[no-untyped-call]


class Shell(InteractiveShell):
    """IPython without a terminal."""

    displayhook_class = Type(ValueKept)
    failed: list[NotebookNode]  # what the cell at work raised, as an output of the notebook

    def _showtraceback(self, kind: type[BaseException], fault: BaseException, lines: list[str]) -> None:
        self.failed.append(new_output("error", ename=kind.__name__, evalue=str(fault), traceback=lines))


def execute(source: Path | str, executed: Path | str, parameters: Mapping[str, object]) -> None:
    """Execute the notebook at `source` with `parameters`, writing `executed` (.ipynb) as it goes.

    When a cell raises, `executed` holds the notebook up to there with the traceback, and the exception is raised
    again. When all is well it holds the same bytes on every run: no times, no cell ids drawn at random.
    """
    os.environ["MPLBACKEND"] = "agg"  # no display is needed
    notebook = with_parameters(jupytext.read(source, fmt="py:percent"), parameters)
    with tempfile.TemporaryDirectory() as folder:  # nothing of the user's is read or written
        config = Config({"HistoryManager": {"enabled": False}, "Shell": {"colors": "nocolor"}})
        shell = Shell.instance(config=config, ipython_dir=folder)
        try:
            for cell in notebook.cells:
                fault = run(shell, cell) if cell.cell_type == "code" else None
                write_text(nbformat.writes(notebook) + "\n", executed)
                if fault:
                    raise fault
        finally:
            Shell.clear_instance()


def with_parameters(notebook: NotebookNode, parameters: Mapping[str, object]) -> NotebookNode:
    """The notebook with a cell that sets `parameters` after the one of defaults, and with fixed cell ids."""
    at = [n for n, cell in enumerate(notebook.cells) if PARAMETERS in cell.metadata.get("tags", [])]
    lines = "\n".join(f"{name} = {value!r}" for name, value in parameters.items())
    injected = new_code_cell(lines, metadata={"tags": ["injected-parameters"]})
    notebook.cells.insert(at[0] + 1 if at else 0, injected)
    notebook.metadata = NotebookNode(
        kernelspec=NotebookNode(name="python3", language="python", display_name="Python 3"),
        language_info=NotebookNode(name="python"),
    )
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    return notebook


def run(shell: Shell, cell: NotebookNode) -> BaseException | None:
    """Execute a cell and put what it prints, shows, returns or raises into its outputs; the exception it raised."""
    shell.failed = []
    with capture_output() as said:
        result = shell.run_cell(cell.source, store_history=True)  # type: ignore[no-untyped-call]
    cell.execution_count = result.execution_count
    streams = {"stdout": said.stdout, "stderr": said.stderr}
    cell.outputs = [new_output("stream", name=name, text=text) for name, text in streams.items() if text]
    cell.outputs += [
        new_output("display_data", encoded(output.data), metadata=output.metadata) for output in said.outputs
    ]
    if result.result is not None and shell.display_formatter:
        data, metadata = shell.display_formatter.format(result.result)
        cell.outputs.append(new_output("execute_result", encoded(data), metadata=metadata))
        cell.outputs[-1].execution_count = cell.execution_count
    cell.outputs += shell.failed
    print(said.stdout, said.stderr, sep="", end="")  # into the job's log
    fault: BaseException | None = result.error_before_exec or result.error_in_exec
    return fault


def encoded(data: Mapping[str, Any]) -> dict[str, Any]:
    """A MIME bundle as a notebook holds it: bytes in base 64."""
    return {kind: b64encode(value).decode() if isinstance(value, bytes) else value for kind, value in data.items()}

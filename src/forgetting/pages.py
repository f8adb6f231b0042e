"""Executed notebooks as pages of the report."""

from pathlib import Path

import nbformat
from nbconvert import HTMLExporter

STYLE = (
    "body {font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto} img {max-width: 100%} pre {overflow-x: auto}"
)


def page(notebook: Path | str) -> str:
    """An executed notebook as an HTML page that needs nothing else."""
    exporter = HTMLExporter(template_name="basic")
    body, _ = exporter.from_notebook_node(nbformat.read(notebook, as_version=4))
    title = Path(notebook).stem.replace("_", " ")
    return f'<!doctype html>\n<meta charset="utf-8">\n<title>{title}</title>\n<style>{STYLE}</style>\n{body}\n'

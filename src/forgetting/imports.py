"""Which modules of the package a file uses: what a rule must declare as its code.

Snakemake re-runs a rule when the script it names is edited, not when a module is that the script imports. So each
rule takes as input the modules that its script reaches through imports, read off the source.
"""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent


@cache
def named(path: Path) -> frozenset[str]:
    """Dotted names of this package, and of the packages around them, that the file at `path` imports anywhere.

    Imports under `if TYPE_CHECKING` are no code that runs.
    """
    names = set()
    tree = ast.parse(path.read_text(), str(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    parts = [name.split(".") for name in names]
    return frozenset(".".join(p[:depth]) for p in parts if p[0] == PACKAGE.name for depth in range(1, len(p) + 1))


def module_file(name: str) -> Path | None:
    """Source file of a dotted name, or None when it names something inside a module."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@cache
def modules(path: Path) -> frozenset[Path]:
    """Files of this package that the file at `path` imports, directly or through others."""
    found: set[Path] = set()
    todo = [path]
    while todo:
        files = {file for name in named(todo.pop()) if (file := module_file(name))}
        todo += files - found
        found |= files
    return frozenset(found)

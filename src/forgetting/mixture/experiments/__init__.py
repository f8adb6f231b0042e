"""One family of experiments a module: `run` sets predictions beside simulations and returns both.

`run(family, seed, sizes)` imports that family alone. The arguments' defaults are the default preset's sizes.
"""

import ast
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forgetting.results import Result

FAMILIES = (
    "forward",
    "trap",
    "replay",
    "reverse",
    "drift",
    "geometry",
    "batches",
    "sdft",
    "ttt",
    "oapl",
    "extensions",
    "chen",
)

Sizes = Mapping[str, int | float]


def check_sizes(family: str, sizes: Sizes) -> None:
    """Raise ValueError unless there is such a family and its `run` takes arguments of these names.

    The source is read, not imported, so that a config is checked without loading anything heavy.
    """
    if family not in FAMILIES:
        raise ValueError(f"there is no mixture family {family!r}: choose one of {', '.join(FAMILIES)}")
    tree = ast.parse(Path(__file__).with_name(f"{family}.py").read_text())
    [run] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "run"]
    known = [argument.arg for argument in run.args.args[1:]]
    if unknown := sorted(set(sizes) - set(known)):
        raise ValueError(f"mixture family {family!r} has no size {', '.join(unknown)}: it takes {', '.join(known)}")


def run(family: str, seed: int, sizes: Sizes | None = None) -> "Result":
    """Curves and checks of one family; `sizes` override the defaults of its arguments.

    Raises ValueError as `check_sizes` does.
    """
    check_sizes(family, sizes or {})
    result: Result = import_module(f"{__name__}.{family}").run(seed, **(sizes or {}))
    return result

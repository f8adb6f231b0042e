"""Objectives by name: `grpo` is a function of `objectives`, `my_file:my_objective` one of the user's own file.

Names and options are checked by reading the source, so that the config can be refused before anything heavy is
imported.
"""

import ast
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forgetting.training import Objective

Signatures = dict[str, dict[str, list[object]]]
BUILT_IN = "forgetting.objectives"
ARGUMENTS = 2  # policy and batch; what follows in an objective's signature are its options


def split_name(name: str) -> tuple[str, str]:
    """(module, function) of an objective's name."""
    module, _, function = name.rpartition(":")
    return module or BUILT_IN, function


def source_file(name: str) -> Path:
    """File in which an objective is written; a user's module is looked for in the working directory first.

    Raises ValueError when there is no such file.
    """
    module, _ = split_name(name)
    local = Path(*module.split(".")).with_suffix(".py")
    if local.is_file():
        return local
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise ValueError(f"objective {name!r}: there is no module {module!r} ({local} does not exist here).")
    return Path(spec.origin)


def signatures(path: Path) -> Signatures:
    """As `parsed`, read again only when the file has changed: every rule of a run checks the config."""
    return parsed(path.resolve(), path.stat().st_mtime_ns)


@cache
def parsed(path: Path, changed: int) -> Signatures:
    """Options of each function in `path` that can be an objective: one whose first arguments are policy and batch.

    With each option its values, where they are annotated as Literal; else none.
    """
    found = {}
    for node in ast.parse(path.read_text(), str(path)).body:
        if isinstance(node, ast.FunctionDef):
            positional = node.args.posonlyargs + node.args.args
            if [a.arg for a in positional][:ARGUMENTS] == ["policy", "batch"]:
                options = positional[ARGUMENTS:] + node.args.kwonlyargs
                found[node.name] = {a.arg: literals(a.annotation) for a in options}
    return found


def literals(annotation: ast.expr | None) -> list[object]:
    """The values of an annotation Literal[…]; none of any other."""
    if isinstance(annotation, ast.Subscript) and getattr(annotation.value, "id", "") == "Literal":
        values = ast.literal_eval(annotation.slice)
        return list(values) if isinstance(values, tuple) else [values]
    return []


def check(name: str, options: Mapping[str, object]) -> None:
    """Raise ValueError, with what there is instead, unless `name` is an objective that takes `options`."""
    path = source_file(name)
    known = signatures(path)
    _, function = split_name(name)
    if function not in known:
        raise ValueError(
            f"unknown objective {name!r}: {path.name} has {', '.join(sorted(known))}; "
            "name a function of yours as my_file:my_objective (its first arguments are policy and batch)."
        )
    unknown = sorted(set(options) - known[function].keys())
    if unknown:
        raise ValueError(
            f"objective {name!r} has no option {', '.join(unknown)}: "
            f"it takes {', '.join(sorted(known[function])) or 'none'}."
        )
    for option, value in options.items():
        allowed = known[function][option]
        if allowed and value not in allowed:
            raise ValueError(f"objective {name!r}: {option} is {value!r}, not one of {', '.join(map(str, allowed))}.")


def load(name: str, options: Mapping[str, object]) -> "Objective":
    """The objective as a function of policy and batch, its options bound."""
    module, function = split_name(name)
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return partial(getattr(importlib.import_module(module), function), **options)

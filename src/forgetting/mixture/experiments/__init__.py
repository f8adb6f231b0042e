"""One family of experiments a module: `run` sets predictions beside simulations and returns both.

`run(family, seed, sizes)` imports that family alone. The arguments' defaults are the default preset's sizes.
"""

from collections.abc import Mapping
from importlib import import_module

from forgetting.mixture.experiments.results import Result

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


def run(family: str, seed: int, sizes: Sizes | None = None) -> Result:
    """Curves and checks of one family; `sizes` override the defaults of its arguments.

    Raises ValueError for a family that does not exist.
    """
    if family not in FAMILIES:
        raise ValueError(f"There is no mixture family {family!r}: choose one of {', '.join(FAMILIES)}.")
    result: Result = import_module(f"{__name__}.{family}").run(seed, **(sizes or {}))
    return result


__all__ = ["FAMILIES", "Result", "run"]

"""The multiverse: analyses that differ only in what the paper leaves open, and the trainings that they need.

A universe is a config. The baseline is the run's own on a smaller grid (`multiverse.grid`); each other universe departs
from it in one choice, or in a random combination of all (`multiverse.choices`). Universes that agree on all that a
method's trainings from one base depend on share them: such a set of trainings is a cell, and none is trained twice.
"""

import fnmatch
import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from typing import Any

from forgetting import seeds
from forgetting.config import Config, ConfigError, validate

Settings = Mapping[str, Any]  # values by the dotted names of their settings
Tree = dict[str, Any]  # a config, as nested dictionaries


@dataclass(frozen=True)
class Universe:
    """One analysis: kind (baseline | alone | combined), the value of each choice as text, which of them depart from the
    baseline, and the config."""

    kind: str
    values: dict[str, str]
    departs: list[str]
    config: Tree

    def cells(self) -> list[Tree]:
        """The trainings that it rests on, one cell a base seed and method."""
        config = self.config
        base = {"pixels": config["data"]["pixels"], **without(config["base"], "seeds")}
        grid = without(config["finetuning"], "learning_rates", "keep_checkpoints")
        return [
            {
                "base": {**base, "seed": seed},
                "data": {name: config["data"][name] for name in ("pixels", "digits", "test_images")},
                "grid": {**grid, "rates": config["finetuning"]["learning_rates"]},
                "method": {"name": name, **method},
            }
            for seed in config["base"]["seeds"]
            for name, method in config["methods"].items()
        ]

    def told(self) -> Tree:
        """What its row in the table rests on: everything but the config, its cells by name."""
        own = {"kind": self.kind, "values": self.values, "departs": self.departs}
        return {**own, "cells": list(map(cell_id, self.cells())), "points": self.config["multiverse"]["points"]}


SECTIONS = ("data", "base", "finetuning", "methods", "multiverse")  # of a config, which a universe may change


def without(section: Settings, *names: str) -> Tree:
    """A section's settings but the named ones."""
    return {name: value for name, value in section.items() if name not in names}


def cell_id(cell: Tree) -> str:
    """Short name of a cell, made of all that defines it."""
    return sha256(json.dumps(cell, sort_keys=True).encode()).hexdigest()[:12]


def places(tree: Tree, name: str) -> list[tuple[Tree, str]]:
    """Where a dotted name points: the section and key of each setting that it matches, `*` matching any letters.

    Raises ValueError when there is none.
    """
    found: list[tuple[Tree, str]] = [({"": tree}, "")]
    for part in name.split("."):
        sections = [section[key] for section, key in found]
        found = [(s, key) for s in sections if isinstance(s, dict) for key in s if fnmatch.fnmatchcase(key, part)]
    if not found:
        raise ValueError(f"there is no setting {name}: name another, or leave this out")
    return found


def changed(tree: Tree, settings: Settings) -> Tree:
    """A copy of a config with some settings changed."""
    tree = deepcopy(tree)
    for name, value in settings.items():
        for section, key in places(tree, name):
            section[key] = value
    return tree


def shown(tree: Tree, alternative: Settings) -> str:
    """Value of a choice in a config: that of the first setting by which its alternatives are told apart."""
    section, key = places(tree, next(iter(alternative)))[0]
    return f"{section[key]:g}" if isinstance(section[key], float) else ", ".join(map(str, listed(section[key])))


def listed(value: Any) -> Sequence[Any]:
    """A list as it is, anything else in one."""
    return value if isinstance(value, list | tuple) else [value]


def baseline(config: Config) -> Tree:
    """The sections of a config that matter, on the multiverse's grid."""
    tree = config.model_dump(mode="json", include={*SECTIONS[:-1]})
    tree["methods"] = {name: tree["methods"][name] for name in taking_part(config)}
    return altered(config, {**tree, "multiverse": {"points": config.multiverse.points}}, config.multiverse.grid)


def taking_part(config: Config) -> list[str]:
    """Methods of the multiverse: those of the config that it names, all where it names none of them."""
    return [name for name in config.methods if name in config.multiverse.methods] or list(config.methods)


def altered(config: Config, tree: Tree, settings: Settings) -> Tree:
    """`changed`, but with no more images than the run has."""
    tree = changed(tree, settings)
    for name in ("digits", "test_images"):
        tree["data"][name] = min(tree["data"][name], getattr(config.data, name))
    return tree


def choices_of(config: Config) -> dict[str, list[Tree]]:
    """The choices that this config has: one on methods that it does not have is none."""

    def there(settings: Settings) -> bool:
        methods = (name.split(".")[1] for name in settings if name.startswith("methods."))
        return all(fnmatch.filter(taking_part(config), method) for method in methods)

    found = {name: [value for value in values if there(value)] for name, values in config.multiverse.choices.items()}
    return {name: values for name, values in found.items() if values}


def universes(config: Config) -> list[Universe]:
    """The baseline, every value of every choice alone, and random combinations."""
    own, start, choices = config.multiverse, baseline(config), choices_of(config)
    draw = seeds.numpy_generator("multiverse", own.seed)
    picked: list[tuple[str, Mapping[str, Settings]]] = [("baseline", {})]
    picked += [("alone", {name: value}) for name, values in choices.items() for value in values]
    for _ in range(own.size):
        drawn = {name: int(draw.integers(len(values) + 1)) for name, values in choices.items()}
        picked += [("combined", {name: choices[name][k - 1] for name, k in drawn.items() if k})]

    def universe(kind: str, departures: Mapping[str, Settings]) -> Universe:
        tree = start
        for settings in departures.values():
            tree = altered(config, tree, settings)
        values = {name: shown(tree, departures.get(name, choices[name][0])) for name in choices}
        return Universe(kind, values, [*departures], tree)

    return [universe(*pick) for pick in picked]


def check_universes(config: Config) -> None:
    """Raise ConfigError, with the part that is to blame, unless every universe is a config that can be run."""
    whole = config.model_dump(mode="json")
    alternatives = {f"choices.{name}": values for name, values in choices_of(config).items()}
    for where, values in {"grid": ({},), **alternatives}.items():
        for value in values:
            try:
                tree = altered(config, baseline(config), value)
                own = {**whole["multiverse"], **tree["multiverse"], "choices": {}}
                validate({**whole, **tree, "multiverse": own})
            except (ValueError, ConfigError) as fault:
                raise ConfigError(f"multiverse.{where}: {fault}") from None


def all_cells(every: Sequence[Universe]) -> dict[str, Tree]:
    """The distinct cells of some universes by their names; those from one base stand together."""
    cells = [cell for universe in every for cell in universe.cells()]
    cells.sort(key=lambda cell: json.dumps([cell["base"], cell["data"]], sort_keys=True))
    return {cell_id(cell): cell for cell in cells}


def trainings(cell: Tree) -> int:
    """How many trainings a cell has."""
    grid = cell["grid"]
    return int(len(grid["epochs"]) * len(grid["schedules"]) * grid["rates"]["count"])


def rows(cell: Tree) -> int:
    """How many points a cell has."""
    return trainings(cell) * int(cell["grid"]["checkpoints"])


def steps(cell: Tree) -> int:
    """Optimizer steps of all trainings of a cell: its price."""
    grid = cell["grid"]
    epoch = ceil(cell["data"]["digits"] / grid["batch_size"])
    return int(sum(grid["epochs"]) * len(grid["schedules"]) * grid["rates"]["count"] * epoch * cell["method"]["inner"])


def shares(cells: Mapping[str, Tree], jobs: int) -> Iterator[dict[str, Tree]]:
    """Cells in `jobs` parts of about equal price, in their order, so that a base is seldom trained in two of them."""
    whole, done, part = sum(map(steps, cells.values())), 0, 0
    parts: list[dict[str, Tree]] = [{} for _ in range(jobs)]
    for name, cell in cells.items():
        parts[min(jobs - 1, part)][name] = cell
        done += steps(cell)
        part = int(done * jobs / whole)
    yield from parts

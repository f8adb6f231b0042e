"""The config, checked before any job starts: frozen models, no unknown key, every range stated.

`python -m forgetting.config` prints the JSON schema that editors use (workflow/schemas/config.schema.json).
"""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from forgetting import registry
from forgetting.language.settings import Language
from forgetting.mixture.experiments import check_sizes
from forgetting.sections import Count, LearningRates, Name, Rate, Schedule, Section, Seed, Share
from forgetting.sources import DataError, check_folder
from forgetting.typesetting import DEBIAN, engine

PUBLISHED, FROM_PUBLISHED = "results/published", "results/from-published"


class ConfigError(Exception):
    """The config cannot be used; the message says what, where and what to do, one line a fault."""


class Data(Section):
    """Which images are used."""

    source: Literal["bundled", "download", "folder"] = Field(description="Where the raw images come from.")
    folder: str | None = Field(description="For source: folder, the folder with mnist/ and fashion-mnist/.")
    digits: Annotated[int, Field(ge=64, le=60_000)] = Field(description="Training digits, of MNIST's 60,000.")
    test_images: Annotated[int, Field(ge=10, le=10_000)] = Field(description="Test images of each task.")
    pixels: Literal["unit", "standardised"] = Field(
        description="Pixel scale: x/255, or that with MNIST's mean and deviation taken off."
    )


class Base(Section):
    """The base policy: joint training on both tasks."""

    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = Field(description="One base policy for each seed.")
    images: Annotated[int, Field(ge=10, le=10_000)] = Field(description="Training images of each task.")
    epochs: Count = Field(description="Passes over them.")
    learning_rate: Rate = Field(description="Peak learning rate.")
    schedule: Schedule = Field(description="Learning-rate schedule after warm-up.")
    warmup: Share = Field(description="Share of the steps in which the rate rises linearly.")
    batch_size: Count = Field(description="Images a step.")
    weight_decay: Annotated[float, Field(ge=0)] = Field(description="AdamW's weight decay.")
    labels: Literal["once", "redrawn"] = Field(
        description="When a parity image's label is drawn: once, or every epoch."
    )


class Finetuning(Section):
    """The grid on which every method is trained, and what is measured on the way."""

    learning_rates: LearningRates = Field(description="Peak learning rates.")
    schedules: Annotated[tuple[Schedule, ...], Field(min_length=1)] = Field(description="Schedules after warm-up.")
    epochs: Annotated[tuple[Count, ...], Field(min_length=1)] = Field(description="Passes over the digits.")
    batch_size: Count = Field(description="Images a step.")
    warmup: Share = Field(description="Share of the steps in which the rate rises linearly.")
    weight_decay: Annotated[float, Field(ge=0)] = Field(description="The optimizer's weight decay.")
    optimizer: Literal["adamw", "sgd"] = Field(description="AdamW, or SGD with momentum 0.9.")
    draws: Seed = Field(description="Number of the streams that order, labels and actions are drawn from.")
    checkpoints: Annotated[int, Field(ge=1, le=100)] = Field(
        description="Measurements a training, evenly spaced, the last at the end."
    )
    accuracy: Literal["greedy", "sampled"] = Field(
        description="Accuracy of the most probable answer, or of one that is drawn, in expectation."
    )
    keep_checkpoints: Literal["none", "final", "all"] = Field(
        description="Which weights to keep as safetensors (2 MB each)."
    )
    diverged_above: Rate = Field(
        description="Forward KL on the new task, in nats, beyond which a policy counts as diverged."
    )


class Method(Section):
    """A way to fine-tune: an objective and its options."""

    objective: str = Field(description="Function of forgetting.objectives, or my_file:my_function.")
    options: dict[str, float | int | str | bool] = Field(default={}, description="Keyword arguments of the objective.")
    inner: Count = Field(default=1, description="Optimizer steps on each batch; GRPO keeps its answers for them.")

    @model_validator(mode="after")
    def known(self) -> "Method":
        """Refuse an objective that does not exist, or does not take these options."""
        registry.check(self.objective, self.options)
        return self


class Mixture(Section):
    """The mixture theory: predictions and simulations."""

    seed: Seed = Field(description="Seed of every simulation.")
    sizes: dict[str, dict[str, int | float]] = Field(description="Family: arguments that differ from its defaults.")

    @model_validator(mode="after")
    def known(self) -> "Mixture":
        """Refuse a family that does not exist, or does not take these arguments."""
        for family, sizes in self.sizes.items():
            check_sizes(family, sizes)
        return self


class Strengths(Section):
    """A way to hold on to the old task, over a grid of its strength."""

    objective: str = Field(default="sft_1", description="Objective, as in methods.")
    options: dict[str, float | int | str | bool] = Field(default={}, description="Options that stay as they are.")
    vary: str = Field(description="What is varied: an option of the objective, or rank, learning_rate, digits.")
    values: Annotated[tuple[float, ...], Field(min_length=1)] = Field(description="The strengths.")
    learning_rate: Rate | None = Field(default=None, description="Peak learning rate, where not that of all.")

    @model_validator(mode="after")
    def known(self) -> "Strengths":
        """Refuse an objective that does not exist, or does not take these options."""
        own = {} if self.vary in ("rank", "learning_rate", "digits") else {self.vary: self.values[0]}
        registry.check(self.objective, {**self.options, **own})
        return self


class Retaining(Section):
    """Methods that hold on to the old task, on images: one epoch of SFT-1 with each."""

    seeds: Count = Field(description="Base policies at most, the first of base.seeds.")
    digits: Annotated[int, Field(ge=64, le=60_000)] = Field(description="Training digits at most: the budget of steps.")
    learning_rate: Rate = Field(description="Peak learning rate.")
    schedule: Schedule = Field(description="Learning-rate schedule after warm-up.")
    checkpoints: Annotated[int, Field(ge=1, le=100)] = Field(description="Measurements a training.")
    methods: dict[Name, Strengths] = Field(description="The methods, each over a grid of its strength.")


class Limits(Section):
    """How far own samples reach, and how far the Fisher quadratic holds."""

    seeds: Annotated[int, Field(ge=2)] = Field(description="Base policies with a gap.")
    digits: Annotated[int, Field(ge=64, le=60_000)] = Field(description="Training digits of each training.")
    repeats: Annotated[int, Field(ge=2)] = Field(description="Repetitions of the tabular simulation.")


class Anchors(Section):
    """KL anchors and replay: the exact part, and on images."""

    seed: Seed = Field(description="Seed of the simulated gradient noise and of the replayed examples.")
    images: Retaining
    limits: Limits


class Regression(Section):
    """How intervals are computed."""

    resamples: Annotated[int, Field(ge=50)] = Field(description="Bootstrap resamples of an interval.")


class Multiverse(Section):
    """The same analysis under each choice that the paper leaves open (see universes)."""

    seed: Seed = Field(description="Seed of the random combinations.")
    size: Annotated[int, Field(ge=0)] = Field(description="Random combinations, beside every choice on its own.")
    jobs: Count = Field(description="Jobs that share the trainings.")
    points: Literal["all", "frontier", "final"] = Field(description="Which points enter R².")
    methods: tuple[Name, ...] = Field(description="Methods that take part, of those in methods; all where none is.")
    grid: dict[str, Any] = Field(description="Settings that differ from the run's in all universes, by dotted name.")
    choices: dict[Name, tuple[Annotated[dict[str, Any], Field(min_length=1)], ...]] = Field(
        description="Choice: its other values, each one or more settings by dotted name, * for any letters."
    )


class Paper(Section):
    """The PDF."""

    engine: Literal["auto", "latexmk", "none"] = Field(
        description="auto: a PDF when TeX is installed; latexmk: always, an error without it; none: no PDF."
    )

    @model_validator(mode="after")
    def installed(self) -> "Paper":
        """Refuse to promise a PDF where there is no TeX."""
        if self.engine == "latexmk" and engine() is None:
            raise ValueError(f"there is no TeX engine here: on Debian, apt-get install {DEBIAN}; or set it to auto")
        return self


class Config(Section):
    """The whole experiment."""

    preset: Name = Field(description="Name of the results folder, results/<preset>.")
    points: Literal["run", "published"] = Field(
        description="run: train and simulate; published: rebuild figures and tables from results/published."
    )
    data: Data
    base: Base
    finetuning: Finetuning
    methods: Annotated[dict[Name, Method], Field(min_length=1)]
    regression: Regression
    multiverse: Multiverse
    mixture: Mixture
    anchors: Anchors
    language: Language
    paper: Paper

    @model_validator(mode="after")
    def consistent(self) -> "Config":
        """Refuse what single sections cannot see."""
        if f"results/{self.preset}" in (PUBLISHED, FROM_PUBLISHED):
            raise ValueError(f"preset ({self.preset}) is the name of a folder that no run may write: choose another")
        steps = -(-self.data.digits // self.finetuning.batch_size) * min(self.finetuning.epochs)
        if steps < self.finetuning.checkpoints:
            raise ValueError(
                f"finetuning.checkpoints ({self.finetuning.checkpoints}) is more than the {steps} steps of the "
                "shortest training: lower it, or raise data.digits"
            )
        if self.base.images > self.data.digits:
            raise ValueError(f"base.images ({self.base.images}) is more than data.digits ({self.data.digits})")
        if (self.data.source == "folder") != (self.data.folder is not None):
            raise ValueError("data.folder must be set for data.source: folder, and null for the other sources")
        return self

    def results(self) -> str:
        """Folder that everything is written to."""
        return FROM_PUBLISHED if self.points == "published" else f"results/{self.preset}"

    def trainings(self) -> list[tuple[str, int, float, str, int]]:
        """Every training: (method, base seed, learning rate, schedule, epochs)."""
        grid = self.finetuning
        return list(product(self.methods, self.base.seeds, grid.learning_rates.values(), grid.schedules, grid.epochs))


def known_keys(location: tuple[int | str, ...]) -> list[str]:
    """Keys that the config has at the place of an unknown one."""
    whole = Config.model_json_schema()
    place: Any = whole
    for part in location[:-1]:
        place = place.get("properties", {}).get(part) or next(iter(place["patternProperties"].values()))
        place = whole["$defs"][place["$ref"].rpartition("/")[2]] if "$ref" in place else place
    return list(place["properties"])


def sentence(fault: Mapping[str, Any]) -> str:
    """One fault that pydantic found, as a sentence: where, what, hint."""
    where = ".".join(map(str, fault["loc"])) or "config"
    if fault["type"] == "extra_forbidden":
        keys = known_keys(fault["loc"])
        near = get_close_matches(str(fault["loc"][-1]), keys, 1)
        hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(keys)}."
        return f"{where}: unknown key; {hint}"
    what = str(fault["msg"]).removeprefix("Value error, ").rstrip(".")
    given = fault["input"]
    shown = (
        f" (it is {given!r})"
        if isinstance(given, str | int | float | bool | None) and fault["type"] != "missing"
        else ""
    )
    return f"{where}: {what}{shown}."


def validate(values: Mapping[str, Any]) -> Config:
    """The checked config; raises ConfigError with one line a fault. The user's folder of images is not read here."""
    try:
        return Config.model_validate(dict(values))
    except ValidationError as error:
        faults = "\n".join(f"  {sentence(dict(fault))}" for fault in error.errors())
        raise ConfigError(f"The config cannot be used:\n{faults}") from None


def check_images(config: Config) -> None:
    """Raise ConfigError unless a folder named by the config holds the published images."""
    if config.data.source == "folder" and config.points == "run":
        try:
            check_folder(Path(config.data.folder or ""))
        except DataError as fault:
            raise ConfigError(str(fault)) from None


def schema() -> str:
    """JSON schema of the config, as text."""
    return json.dumps(Config.model_json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(schema(), end="")

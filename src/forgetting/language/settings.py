"""The config's section on the language line, checked before any job starts."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from forgetting.sections import Count, LearningRates, Name, Rate, Schedule, Section, Seed, Share

SCRATCH = "scratch"
OPTIONS: dict[str, dict[str, type]] = {  # of each trainer, with their types
    "sft": {"demonstrations": str},
    "grpo": {"group": int, "kl": float},
}


class Pretraining(Section):
    """The scratch model and how it is taught; a folder's or hub's model is taken as it is."""

    width: Annotated[int, Field(ge=8)] = Field(description="Hidden size of the Llama.")
    layers: Count = Field(description="Its layers.")
    heads: Count = Field(description="Its attention heads.")
    steps: Count = Field(description="Optimizer steps.")
    batch_size: Count = Field(description="Questions a step.")
    learning_rate: Rate = Field(description="Peak learning rate, cosine to zero.")
    new_share: Share = Field(description="Share of the questions that are of the new task.")
    known: Share = Field(description="Share of its answers drawn from the right ones, the rest from all.")

    @model_validator(mode="after")
    def divisible(self) -> "Pretraining":
        """Refuse heads that do not divide the width into even parts."""
        if self.width % (2 * self.heads):
            raise ValueError(f"width ({self.width}) is not a multiple of twice the heads ({self.heads})")
        return self


class LanguageFinetuning(Section):
    """The grid of every method, and what is measured on the way."""

    learning_rates: LearningRates = Field(description="Peak learning rates.")
    unready_learning_rates: LearningRates = Field(description="Those of an unready base, which has the rule to learn.")
    schedule: Schedule = Field(description="Learning-rate schedule after warm-up.")
    steps: Count = Field(description="Optimizer steps.")
    batch_size: Count = Field(description="Answers a step.")
    warmup: Share = Field(description="Share of the steps in which the rate rises linearly.")
    weight_decay: Annotated[float, Field(ge=0)] = Field(description="AdamW's weight decay.")
    checkpoints: Count = Field(description="Measurements a training, from 40 % of it to its end.")
    old_questions: Annotated[int, Field(ge=2)] = Field(description="Questions of each generated old skill.")
    answer_tokens: Count = Field(description="Most tokens that an answer to the new task may have.")
    lora: Count | None = Field(description="Rank of LoRA adapters; null trains all weights.")
    device_batch: Count | None = Field(
        description="For a large model: answers at a time, in bfloat16, with recomputed activations; null: a step's."
    )
    diverged_above: Rate = Field(description="Forward KL in nats beyond which a model counts as diverged.")

    @model_validator(mode="after")
    def divisible(self) -> "LanguageFinetuning":
        """Refuse a step that is no whole number of batches, and more checkpoints than steps."""
        if self.device_batch and self.batch_size % self.device_batch:
            raise ValueError(f"batch_size ({self.batch_size}) is no multiple of device_batch ({self.device_batch})")
        if self.checkpoints > self.steps / 2:
            raise ValueError(f"checkpoints ({self.checkpoints}) are more than half the steps ({self.steps})")
        return self


class LanguageMethod(Section):
    """A way to fine-tune: a trainer of trl and its options."""

    trainer: Literal["sft", "grpo"] = Field(description="Supervised, or from rewards for own samples.")
    options: dict[str, float | int | str] = Field(
        description="sft: demonstrations (sft_1, sft_2, oracle); grpo: group, kl."
    )

    @model_validator(mode="after")
    def known(self) -> "LanguageMethod":
        """Refuse options that the trainer does not take, or lacks."""
        asked = OPTIONS[self.trainer]
        if set(self.options) != set(asked):
            raise ValueError(f"trainer {self.trainer} takes the options {', '.join(asked)}, all of them, and no other")
        for name, kind in asked.items():
            if not isinstance(self.options[name], (int, float) if kind is float else kind):
                raise ValueError(f"option {name} of trainer {self.trainer} must be of type {kind.__name__}")
        return self


class Language(Section):
    """The law on a language model."""

    enabled: bool = Field(description="false: nothing of the line is run or imported; its claims read not tested.")
    model: str = Field(description="scratch (pretrained here), a folder, or a hub id.")
    data: str | None = Field(description="JSON lines of the new task for a folder's or hub's model; null: generated.")
    benchmarks: dict[str, str] = Field(
        description="Old skills of such a model: tasks of lm-evaluation-harness with their metric; {}: generated."
    )
    benchmark_limit: Count | None = Field(description="Questions a benchmark; null: all.")
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = Field(description="One base each.")
    unready: tuple[Seed, ...] = Field(description="Bases that are not taught the new task's rule, to compare with.")
    pretraining: Pretraining
    finetuning: LanguageFinetuning
    methods: Annotated[dict[Name, LanguageMethod], Field(min_length=1)]

    @model_validator(mode="after")
    def consistent(self) -> "Language":
        """Refuse what single sections cannot see."""
        if self.model != SCRATCH and (len(self.seeds) > 1 or self.unready):
            raise ValueError("a model that is not pretrained here has one seed and no unready base")
        if self.model == SCRATCH and (self.data or self.benchmarks):
            raise ValueError("the scratch model has generated tasks: data must be null and benchmarks {}")
        if self.enabled and self.data and not Path(self.data).is_file():
            raise ValueError(f"data ({self.data}) is no file: config/qwen.yaml says what it must hold")
        for name, method in self.methods.items():
            group = method.options.get("group", 1)
            if self.finetuning.batch_size % int(group):
                raise ValueError(f"finetuning.batch_size is no multiple of the group ({group}) of methods.{name}")
        return self

    def bases(self) -> list[str]:
        """Names of the bases: ready-0, …, unready-0, …"""
        return [f"ready-{seed}" for seed in self.seeds] + [f"unready-{seed}" for seed in self.unready]

    def rates(self, base: str) -> list[float]:
        """Learning rates that a base gets."""
        own = self.finetuning
        return (own.unready_learning_rates if base.startswith("unready") else own.learning_rates).values()

    def trainings(self, kind: str) -> list[tuple[str, int, float, str, int]]:
        """Every training of the bases of a kind (ready, unready), as `language.points.training_name` takes them."""
        seeds = self.seeds if kind == "ready" else self.unready
        return list(product(self.methods, seeds, self.rates(f"{kind}-"), [self.finetuning.schedule], [1]))

    def trained(self) -> Mapping[str, Any]:
        """The methods as plain values."""
        return {name: method.model_dump() for name, method in self.methods.items()}

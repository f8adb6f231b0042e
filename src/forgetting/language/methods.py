"""The methods, each a trainer of trl: SFT on demonstrations or on the oracle's answers, GRPO with and without KL."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import PreTrainedModel, PreTrainedTokenizerBase, PrinterCallback, Trainer
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from forgetting import seeds
from forgetting.language.divergence import sample_answers
from forgetting.language.evaluation import Baseline
from forgetting.language.model import answer_ids, prompt_ids, rendered
from forgetting.language.tasks import Item

Path = tuple[str | int | float, ...]
TRIES = 12  # a question that the base has not answered right in so many samples gives no demonstration
SURPRISE = 0.35  # distance from the base's accuracy that chance does not give the first batch's reward
IGNORED = -100  # label of a token without loss


def arguments(
    path: Path,
    learning_rate: float,
    *,
    steps: int,
    batch_size: int,
    schedule: str,
    warmup: float,
    weight_decay: float,
    device_batch: int | None = None,
) -> dict[str, Any]:
    """What every trainer is told, in place of trl's and transformers' defaults.

    `path` names the stream of order and samples. A step takes `batch_size` answers, `device_batch` of them at a
    time; where that is stated, the model is large: bfloat16 on a GPU, and activations computed twice to save memory.
    """
    return {
        "output_dir": tempfile.gettempdir(),  # nothing is saved there
        "seed": seeds.seed(*path) % 2**32,
        "learning_rate": learning_rate,
        "lr_scheduler_type": {"constant": "constant_with_warmup"}.get(schedule, schedule),
        "warmup_steps": round(warmup * steps),
        "weight_decay": weight_decay,
        "max_steps": steps,
        "per_device_train_batch_size": device_batch or batch_size,
        "gradient_accumulation_steps": batch_size // (device_batch or batch_size),
        "gradient_checkpointing": device_batch is not None,
        "bf16": device_batch is not None and torch.cuda.is_available(),
        "dataloader_pin_memory": torch.cuda.is_available(),
        "logging_strategy": "no",
        "save_strategy": "no",
        "report_to": "none",
        "disable_tqdm": True,
    }


def train(trainer: Trainer) -> None:
    """Train without a line in the log for every trainer's statistics."""
    trainer.remove_callback(PrinterCallback)
    trainer.train()


def lora(rank: int | None) -> LoraConfig | None:
    """Low-rank adapters on every linear layer (arXiv 2106.09685), or None to train all weights."""
    return LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM") if rank else None


def supervised(tokenizer: PreTrainedTokenizerBase, items: Sequence[Item]) -> Dataset:
    """Prompts with their answers as token ids; the loss falls on the answers alone."""
    prompts = prompt_ids(tokenizer, [item.prompt for item in items])
    answers = answer_ids(tokenizer, [item.answer for item in items])
    pairs = list(zip(prompts, answers, strict=True))
    return Dataset.from_dict(
        {"input_ids": [p + a for p, a in pairs], "labels": [[IGNORED] * len(p) + a for p, a in pairs]}
    )


def sft(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    items: Sequence[Item],
    told: Mapping[str, Any],
    adapters: LoraConfig | None = None,
) -> SFTTrainer:
    """Trainer that descends the cross-entropy of the items' answers."""
    options = SFTConfig(max_length=None, packing=False, train_sampling_strategy="sequential", **told)
    data = supervised(tokenizer, items)
    return SFTTrainer(model, options, train_dataset=data, processing_class=tokenizer, peft_config=adapters)


def demonstrations(items: Sequence[Item], kind: str, *path: str | int | float) -> list[Item]:
    """Each item with one of its demonstrations of that kind as the answer, drawn from the stream at `path`.

    Raises ValueError when an item has none.
    """
    rng = seeds.numpy_generator(*path)
    if missing := next((item.prompt for item in items if not item.demonstrations.get(kind)), None):
        raise ValueError(f"The new task has no demonstration {kind!r} for the prompt {missing!r}: add it to its file.")
    choices = [item.demonstrations[kind] for item in items]
    return [Item(item.prompt, some[rng.integers(len(some))]) for item, some in zip(items, choices, strict=True)]


def oracle(baseline: Baseline, items: Sequence[Item]) -> list[Item]:
    """Items with a right answer that the base itself gave: samples of it, the wrong ones rejected and drawn again.

    The base conditioned on being right is the distribution nearest to it, in KL, of all that solve the task
    (arXiv 2509.04259, section 5). Questions without a right answer in TRIES samples are left out.
    """
    found: dict[str, Item] = {}
    open_ = list(items)
    for attempt in range(TRIES):
        prompts = [item.prompt for item in open_]
        path = ("language", baseline.base_seed, "oracle", attempt)
        answers = sample_answers(baseline.model, baseline.tokenizer, prompts, baseline.length, *path)
        for item, text in zip(open_, answers.texts(baseline.tokenizer), strict=True):
            if baseline.task.score(item.answer, text):
                found[item.prompt] = Item(item.prompt, text)
        open_ = [item for item in open_ if item.prompt not in found]
        if not open_:
            break
    if not found:
        raise ValueError("The base answers no question of the new task right: there is no oracle to learn from.")
    return [found[item.prompt] for item in items if item.prompt in found]


def reward(baseline: Baseline, expected: float) -> Callable[..., list[float]]:
    """Reward for GRPO: 1 for a right answer. Checks on the first batch that the base earns what it is known to."""
    first = True

    def right(prompts: list[str], completions: list[str], answer: list[str], **rest: object) -> list[float]:
        nonlocal first
        scores = [float(baseline.task.score(a, text)) for a, text in zip(answer, completions, strict=True)]
        earned = sum(scores) / len(scores)
        if first and abs(earned - expected) > SURPRISE:
            raise ArithmeticError(
                f"GRPO's first batch earns {earned:.2f} where the base is right {expected:.2f} of the time: "
                "does the tokenizer decode what the model says?"
            )
        first = False
        return scores

    return right


def grpo(
    model: PreTrainedModel,
    baseline: Baseline,
    items: Sequence[Item],
    told: Mapping[str, Any],
    adapters: LoraConfig | None = None,
    *,
    group: int,
    kl: float,
) -> GRPOTrainer:
    """Trainer of GRPO (arXiv 2402.03300): `group` answers a question, one inner step, penalty `kl` · KL(model‖base).

    The base of the penalty is read again from the folder that the model came from.
    """
    tokenizer = baseline.tokenizer
    options = GRPOConfig(
        num_generations=group,
        beta=kl,
        loss_type="grpo",
        scale_rewards="group",
        max_completion_length=baseline.length,
        temperature=1.0,
        top_k=0,
        shuffle_dataset=False,
        **told,
    )
    data = {
        "prompt": [rendered(tokenizer, item.prompt) for item in items],
        "answer": [item.answer for item in items],
    }
    return GRPOTrainer(
        model,
        reward(baseline, float(baseline.scores(baseline.answers).mean())),
        options,
        train_dataset=Dataset.from_dict(data),
        processing_class=tokenizer,
        peft_config=adapters,
    )

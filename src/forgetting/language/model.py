"""The model and its tokenizer: built from scratch, or read from a folder or the hub; text in, tensors out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from forgetting import seeds
from forgetting.language.tasks import ALPHABET
from forgetting.whole import whole_folder

SPECIAL = {"pad_token": "<pad>", "bos_token": "<bos>", "eos_token": "<eos>", "unk_token": "<unk>"}
POSITIONS = 32  # more than the longest prompt with its answer


def scratch_tokenizer() -> PreTrainedTokenizerBase:
    """One token a character of ALPHABET; a sequence starts with <bos>. Padded on the left, to be continued."""
    vocabulary = {token: i for i, token in enumerate([*SPECIAL.values(), *ALPHABET])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A", special_tokens=[("<bos>", vocabulary["<bos>"])]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, padding_side="left", **SPECIAL)


def scratch_model(
    tokenizer: PreTrainedTokenizerBase, base_seed: int, *, width: int, layers: int, heads: int
) -> PreTrainedModel:
    """A Llama of `width` with fresh weights; 135,000 parameters at width 64 and 2 layers."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=False,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    with seeds.seeded("language", base_seed, "weights"):
        return LlamaForCausalLM(config)


def load(name: str | Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Model, in float32 and evaluation mode, on the GPU if there is one, and tokenizer of a folder or a hub id.

    Raises ValueError in one sentence when they cannot be read.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left")
        model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32).to(device).eval()
    except OSError as fault:
        reason = str(fault).splitlines()[0]
        raise ValueError(f"language.model {name} is neither a model's folder nor within reach: {reason}") from fault
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model, tokenizer


def save(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path | str) -> None:
    """Write model (safetensors) and tokenizer into a folder, whole or not at all."""
    with whole_folder(folder) as partial:
        model.save_pretrained(partial)
        tokenizer.save_pretrained(partial)


def rendered(tokenizer: PreTrainedTokenizerBase, prompt: str) -> str:
    """The prompt as the model is to read it: in its chat template, where it has one."""
    if not tokenizer.chat_template:
        return prompt
    messages = [{"role": "user", "content": prompt}]
    return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))


def prompt_ids(tokenizer: PreTrainedTokenizerBase, prompts: Sequence[str]) -> list[list[int]]:
    """Token ids of each prompt; a template writes its own first token."""
    texts = [rendered(tokenizer, prompt) for prompt in prompts]
    ids: Any = tokenizer(texts, add_special_tokens=not tokenizer.chat_template)["input_ids"]
    return [list(row) for row in ids]


def answer_ids(tokenizer: PreTrainedTokenizerBase, answers: Sequence[str]) -> list[list[int]]:
    """Token ids of each answer, closed by the end of sequence."""
    ids: Any = tokenizer(list(answers), add_special_tokens=False)["input_ids"]
    return [[*row, tokenizer.eos_token_id] for row in ids]


def padded(rows: Sequence[Sequence[int]], pad: int, side: str) -> tuple[Tensor, Tensor]:
    """Rows of ids as one tensor [n, longest], and the mask of what is not padding."""
    width = max(map(len, rows))
    left = side == "left"
    ids = [[pad] * (width - len(row)) * left + list(row) + [pad] * (width - len(row)) * (not left) for row in rows]
    mask = [[0] * (width - len(r)) * left + [1] * len(r) + [0] * (width - len(r)) * (not left) for r in rows]
    return torch.tensor(ids), torch.tensor(mask)

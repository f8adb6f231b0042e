"""How far a model's answers have moved from its base: sequence-level KL on whole answers, estimated without bias.

KL(P‖Q) = E over y ~ P of Σ_t KL(P(· | x, y_<t) ‖ Q(· | x, y_<t)), over the tokens of an answer up to its end

by the chain rule. The sum over the vocabulary is exact at every token (Rao-Blackwellised: the sampled token only says
where the next ones stand), so what is left to chance is the path and the prompt. The same samples of the base serve
every checkpoint of every training; the reverse KL draws from the checkpoint.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from forgetting import seeds
from forgetting.language.model import padded, prompt_ids

ELEMENTS = 1 << 25  # log-probabilities held at once: 256 MB


class Answers(NamedTuple):
    """ids [n, p + t] of prompts, padded on the left, with answers; mask [n, p + t] of what is no padding of a prompt;
    counted [n, t], true up to and including an answer's first end of sequence."""

    ids: Tensor
    mask: Tensor
    counted: Tensor

    def texts(self, tokenizer: PreTrainedTokenizerBase) -> list[str]:
        """The answers as text, special tokens left out."""
        rows = zip(self.ids[:, -self.counted.shape[1] :].tolist(), self.counted.tolist(), strict=True)
        kept = [[token for token, counts in zip(*row, strict=True) if counts] for row in rows]
        return list(tokenizer.batch_decode(kept, skip_special_tokens=True))


def until_end(answers: Tensor, end: int) -> Tensor:
    """[n, t] whether a token of `answers` [n, t] belongs to the answer: nothing before it is `end`."""
    ends = (answers == end).long()
    return (ends.cumsum(1) - ends) == 0


@torch.no_grad()
def sample_answers(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    prompts: Sequence[str],
    length: int,
    *path: str | int | float,
    rows: int = 512,
) -> Answers:
    """One answer a prompt of at most `length` tokens, drawn at temperature 1 from the stream at `path`."""
    end = int(tokenizer.eos_token_id)
    ids, mask = padded(prompt_ids(tokenizer, prompts), int(tokenizer.pad_token_id), "left")
    drawn = []
    with seeds.seeded(*path):
        for some, there in zip(ids.split(rows), mask.split(rows), strict=True):
            whole = model.generate(
                some.to(model.device),
                attention_mask=there.to(model.device),
                do_sample=True,
                temperature=1.0,
                top_k=0,
                top_p=1.0,
                repetition_penalty=1.0,
                max_new_tokens=length,
                pad_token_id=end,
            ).cpu()
            drawn.append(torch.nn.functional.pad(whole, (0, ids.shape[1] + length - whole.shape[1]), value=end))
    sequences = torch.cat(drawn)
    return Answers(
        sequences,
        torch.cat([mask, torch.ones(len(mask), length, dtype=mask.dtype)], 1),
        until_end(sequences[:, -length:], end),
    )


@torch.no_grad()
def log_probs(model: PreTrainedModel, answers: Answers) -> Tensor:
    """log π(token | prompt, answer so far) [n, t, vocabulary] in float64."""
    length, device = answers.counted.shape[1], model.device
    places = (answers.mask.cumsum(1) - 1).clamp(min=0)
    logits: Tensor = model(
        answers.ids.to(device),
        attention_mask=answers.mask.to(device),
        position_ids=places.to(device),
        logits_to_keep=length + 1,
    ).logits
    return logits[:, :-1].double().log_softmax(-1)


def split(answers: Answers, vocabulary: int) -> Iterator[Answers]:
    """The answers in parts whose log-probabilities fit into memory."""
    rows = max(1, ELEMENTS // (vocabulary * answers.counted.shape[1]))
    for parts in zip(*(part.split(rows) for part in answers), strict=True):
        yield Answers(*parts)


def answer_kl(source: PreTrainedModel, other: PreTrainedModel, answers: Answers) -> Tensor:
    """[n] Σ_t KL(source‖other) along each of the `answers`, which `source` drew; its mean estimates the KL, nats."""
    found = []
    for part in split(answers, source.config.vocab_size):
        p, q = log_probs(source, part), log_probs(other, part)
        found.append(((p.exp() * (p - q)).sum(-1) * part.counted.to(p.device)).sum(1).cpu())
    return torch.cat(found)


def log_prob_of(model: PreTrainedModel, answers: Answers) -> Tensor:
    """[n] log-probability of each whole answer, its end included, in float64."""
    found = []
    for part in split(answers, model.config.vocab_size):
        chosen = part.ids[:, -part.counted.shape[1] :, None].to(model.device)
        steps = log_probs(model, part).gather(2, chosen)[..., 0]
        found.append((steps * part.counted.to(steps.device)).sum(1).cpu())
    return torch.cat(found)

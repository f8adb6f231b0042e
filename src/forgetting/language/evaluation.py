"""What is measured of a model: old skills, the new task, both KLs to the base, each with its sampling error."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from forgetting.language.divergence import Answers, answer_kl, log_prob_of, sample_answers
from forgetting.language.model import answer_ids, padded, prompt_ids
from forgetting.language.tasks import Item, Task, right_answers
from forgetting.results import Array, Estimate, over_seeds

Skills = Callable[[PreTrainedModel], Mapping[str, Estimate]]


@torch.no_grad()
def greedy_matches(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, items: Sequence[Item], rows: int = 512
) -> Array:
    """[n] 1 where greedy decoding gives exactly the item's answer and ends, else 0.

    Read off one pass over the right answer: greedy decoding follows it to its end if and only if each of its tokens
    is the most probable one after those before it.
    """
    prompts = prompt_ids(tokenizer, [item.prompt for item in items])
    answers = answer_ids(tokenizer, [item.answer for item in items])
    pad, found = int(tokenizer.pad_token_id), []
    for start in range(0, len(items), rows):
        some = slice(start, start + rows)
        pairs = list(zip(prompts[some], answers[some], strict=True))
        ids, mask = padded([p + a for p, a in pairs], pad, "right")
        asked, _ = padded([[0] * len(p) + [1] * len(a) for p, a in pairs], 0, "right")
        best = model(ids.to(model.device), attention_mask=mask.to(model.device)).logits.argmax(-1).cpu()
        found.append(((best[:, :-1] == ids[:, 1:]) | (asked[:, 1:] == 0)).all(1))
    return torch.cat(found).double().numpy()


def generated_skills(tokenizer: PreTrainedTokenizerBase, items: Mapping[str, Sequence[Item]]) -> Skills:
    """Exact-match accuracy on each generated skill, as a function of the model."""

    def accuracies(model: PreTrainedModel) -> dict[str, Estimate]:
        together = greedy_matches(model, tokenizer, [item for some in items.values() for item in some])
        ends = np.cumsum([len(some) for some in items.values()])[:-1]
        return {name: over_seeds(part) for name, part in zip(items, np.split(together, ends), strict=True)}

    return accuracies


def right_mass(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, items: Sequence[Item]) -> Array:
    """[n] exact probability that a sampled answer to each question of the generated new task is right."""
    pairs = [(item.prompt, answer) for item in items for answer in right_answers(item.answer)]
    prompts, mask = padded(prompt_ids(tokenizer, [p for p, _ in pairs]), int(tokenizer.pad_token_id), "left")
    answers = torch.tensor(answer_ids(tokenizer, [a for _, a in pairs]))
    there = torch.ones_like(answers)
    whole = Answers(torch.cat([prompts, answers], 1), torch.cat([mask, there], 1), there.bool())
    mass: Array = log_prob_of(model, whole).exp().reshape(len(items), -1).sum(1).numpy()
    return mass


@dataclass(frozen=True)
class Baseline:
    """A base model with its answers to the new task's test questions, against which every checkpoint is measured."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    task: Task
    length: int
    base_seed: int
    skills: Skills
    answers: Answers
    old: float

    @classmethod
    def of(
        cls,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        task: Task,
        skills: Skills,
        length: int,
        base_seed: int,
    ) -> "Baseline":
        """Sample and evaluate the base once; `length` is the most tokens an answer may have."""
        prompts = [item.prompt for item in task.test]
        answers = sample_answers(model, tokenizer, prompts, length, "language", base_seed, "base answers")
        old = float(np.mean([skill.value for skill in skills(model).values()]))
        return cls(model, tokenizer, task, length, base_seed, skills, answers, old)

    def scores(self, answers: Answers) -> Array:
        """[n] 1 where an answer to a test question is right, else 0."""
        texts = answers.texts(self.tokenizer)
        return np.array([self.task.score(i.answer, t) for i, t in zip(self.task.test, texts, strict=True)], float)


def measure(baseline: Baseline, model: PreTrainedModel, *path: str | int | float) -> dict[str, Estimate]:
    """Every measure of `model`: new-task accuracy of sampled answers, forward and reverse KL, each old skill.

    The model's own answers are drawn from the stream at `path`; errors are over the test questions.
    """
    prompts = [item.prompt for item in baseline.task.test]
    own = sample_answers(model, baseline.tokenizer, prompts, baseline.length, *path)
    forward = answer_kl(baseline.model, model, baseline.answers)
    reverse = answer_kl(model, baseline.model, own)
    return {
        "parity_accuracy": over_seeds(baseline.scores(own)),
        "forward_kl_new": over_seeds(forward.numpy()),
        "reverse_kl_new": over_seeds(reverse.numpy()),
        **baseline.skills(model),
    }

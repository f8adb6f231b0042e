"""The language line: tasks, KL on whole answers against enumeration, measuring without a trace, every method by trl."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"

import sys
from copy import deepcopy
from itertools import product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from forgetting import seeds
from forgetting.language import methods, tasks
from forgetting.language.benchmarks import benchmark_skills
from forgetting.language.divergence import Answers, answer_kl, log_prob_of, sample_answers
from forgetting.language.evaluation import Baseline, generated_skills, greedy_matches, measure, right_mass
from forgetting.language.finetuning import Measurement, finetune, finetune_grid, late_steps
from forgetting.language.jobs import baseline as baseline_of
from forgetting.language.jobs import quiet
from forgetting.language.model import load, padded, prompt_ids, save, scratch_model, scratch_tokenizer
from forgetting.language.points import NEW, gather, rows_of, training_name
from forgetting.language.pretraining import conditions, pretrain

SMALL = {"width": 16, "layers": 1, "heads": 2}
TOLD: dict[str, Any] = {"batch_size": 8, "schedule": "cosine", "warmup": 0.1, "weight_decay": 0.0}
SHORT: dict[str, Any] = {"steps": 4, "checkpoints": 2, "lora": None, **TOLD}
SFT = {"trainer": "sft", "options": {"demonstrations": "sft_1"}}
GRPO_KL = {"trainer": "grpo", "options": {"group": 4, "kl": 0.5}}
quiet()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A base of a few seconds, saved and read again; it knows the new task's format."""
    folder = tmp_path_factory.mktemp("language") / "base"
    many = {"steps": 60, "batch_size": 32, "learning_rate": 2e-2, "new_share": 0.5, "known": 1.0}
    save(*pretrain(0, **SMALL, **many), folder)
    return load(folder)


@pytest.fixture(scope="module")
def base(made: tuple[PreTrainedModel, PreTrainedTokenizerBase]) -> Baseline:
    model, tokenizer = made
    task = tasks.parity_task(0)._replace(test=tasks.parity_task(0).test[:64])
    return Baseline.of(model, tokenizer, task, generated_skills(tokenizer, tasks.old_items(0, 8)), 3, 0)


def moved(model: PreTrainedModel, size: float = 0.3) -> PreTrainedModel:
    """A copy whose weights are shaken."""
    other, generator = deepcopy(model), torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in other.parameters():
            weight += size * weight.std() * torch.randn(weight.shape, generator=generator)
    return other


# Tasks


@pytest.mark.parametrize("name", tasks.SKILLS)
def test_skills_have_the_answers_they_promise(name: str):
    for item in tasks.old_items(3, 50)[name]:
        digits, first = item.prompt[1:-1], item.prompt[0]
        right = {
            "c": lambda d: d,
            "r": lambda d: d[::-1],
            "s": lambda d: "".join(sorted(d)),
            "a": lambda d: f"{int(d[0]) + int(d[1]):02d}",
            "i": lambda d: d[int(d[0])],
        }[first](digits)
        assert item.answer == right


def test_a_quarter_of_the_answers_is_right():
    for number in (1234, 2345):
        item = tasks.parity_item(number)
        scored = [
            text for text in map("".join, product("0123456789", repeat=2)) if tasks.right_parity(item.answer, text)
        ]
        assert scored == sorted(tasks.right_answers(item.answer)) and len(scored) == 25
        assert {t for texts in item.demonstrations.values() for t in texts} <= set(scored)
    assert not any(tasks.right_parity("0", text) for text in ("", "2", "222", "21", "2>"))


def test_what_is_taught_trained_on_and_measured_is_apart():
    task, taught = tasks.parity_task(1), tasks.parity_prompts(1)[: tasks.PRETRAINING]
    parts = [{item.prompt for item in items} for items in (task.train, task.test, taught)]
    assert sum(map(len, parts)) == len(set().union(*parts)) == 10_000
    asked = {item.prompt for item in tasks.pretraining_items(1, 2000, 0.5, 0.5) if item.prompt[0] == "p"}
    assert asked <= parts[2]


@pytest.mark.parametrize(("known", "right"), [(0.0, 0.25), (0.5, 0.625), (1.0, 1.0)])
def test_the_base_is_taught_the_rule_as_far_as_it_is_to_know_it(known: float, right: float):
    items = [item for item in tasks.pretraining_items(0, 6000, 0.5, known) if item.prompt[0] == "p"]
    share = np.mean([tasks.right_parity(str(int(item.prompt[1]) % 2), item.answer) for item in items])
    assert share == pytest.approx(right, abs=3.5 * np.sqrt(right * (1 - right) / len(items)) + 1e-12)


# Model


def test_tokenizer_decodes_what_it_encodes_also_when_read_again(made: tuple[PreTrainedModel, PreTrainedTokenizerBase]):
    for tokenizer in (scratch_tokenizer(), made[1]):
        ids = tokenizer("p4821>")["input_ids"]
        assert ids[0] == tokenizer.bos_token_id and len(ids) == 7
        assert tokenizer.decode(ids, skip_special_tokens=True) == "p4821>"
        assert tokenizer.padding_side == "left"


def test_weights_are_the_seeds_and_global_randomness_is_left_alone():
    tokenizer, before = scratch_tokenizer(), torch.random.get_rng_state()
    one, same, other = (scratch_model(tokenizer, seed, **SMALL).state_dict() for seed in (0, 0, 1))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["lm_head.weight"], other["lm_head.weight"])


def test_a_model_that_is_not_there_is_named_in_a_sentence(tmp_path: Path):
    with pytest.raises(ValueError, match=r"language\.model .*nowhere is neither"):
        load(tmp_path / "nowhere")


def test_greedy_matches_are_those_of_greedy_decoding(base: Baseline):
    items = [tasks.Item(item.prompt, "00") for item in base.task.test[:16]]
    ids, mask = padded(prompt_ids(base.tokenizer, [item.prompt for item in items]), base.tokenizer.pad_token_id, "left")
    said = base.model.generate(ids, attention_mask=mask, do_sample=False, max_new_tokens=3, pad_token_id=2)
    texts = base.tokenizer.batch_decode(said[:, ids.shape[1] :], skip_special_tokens=True)
    own = [tasks.Item(item.prompt, text) for item, text in zip(items, texts, strict=True)]
    ended = (said[:, ids.shape[1] :] == base.tokenizer.eos_token_id).any(1).numpy()
    assert ended.any()
    assert (greedy_matches(base.model, base.tokenizer, own) == ended).all()
    wrong = [tasks.Item(item.prompt, text[::-1] + "1") for item, text in zip(items, texts, strict=True)]
    assert greedy_matches(base.model, base.tokenizer, wrong).sum() == 0


def test_right_mass_is_what_sampling_finds(base: Baseline):
    mass = right_mass(base.model, base.tokenizer, base.task.test)
    assert ((mass > 0) & (mass < 1)).all()
    scores = base.scores(base.answers)
    assert scores.mean() == pytest.approx(mass.mean(), abs=4 * np.sqrt((mass * (1 - mass)).sum()) / len(mass))


# KL on whole answers


def every_answer(tokenizer: PreTrainedTokenizerBase, prompt: str, length: int) -> Answers:
    """All answers to a prompt of at most `length` tokens, each once: after its end an answer is filled up with ends."""
    end, words = tokenizer.eos_token_id, range(len(tokenizer))
    ends = [i for n in range(length) for i in product([w for w in words if w != end], repeat=n)]
    full = list(product([w for w in words if w != end], repeat=length))
    rows = torch.tensor([[*row, *[end] * (length - len(row))] for row in ends] + full)
    asked = torch.tensor(prompt_ids(tokenizer, [prompt])).expand(len(rows), -1)
    is_end = (rows == end).long()
    whole = torch.cat([asked, rows], 1)
    return Answers(whole, torch.ones_like(whole), is_end.cumsum(1) - is_end == 0)


def test_kl_is_unbiased_against_enumeration_and_its_error_is_right(base: Baseline):
    """Σ p(y)·estimate(y) over all answers is KL = Σ p(y) log p(y)/q(y); samples scatter about it as they say."""
    model, other, prompt = base.model, moved(base.model), "p4821>"
    answers = every_answer(base.tokenizer, prompt, 2)
    p, q = log_prob_of(model, answers), log_prob_of(other, answers)
    assert p.exp().sum().item() == pytest.approx(1, abs=1e-5)
    exact = (p.exp() * (p - q)).sum().item()
    estimates = answer_kl(model, other, answers)
    assert (p.exp() * estimates).sum().item() == pytest.approx(exact, rel=1e-4)
    drawn = answer_kl(model, other, sample_answers(model, base.tokenizer, [prompt] * 2000, 2, "test"))
    error = drawn.std().item() / np.sqrt(2000)
    assert drawn.mean().item() == pytest.approx(exact, abs=4 * error)
    plain = (p.exp() * (p - q) ** 2).sum().item() - exact**2  # variance of the estimate without Rao-Blackwell
    assert drawn.var().item() < 0.5 * plain


def test_kl_to_itself_is_zero_and_padding_changes_nothing(base: Baseline):
    assert answer_kl(base.model, base.model, base.answers).abs().max().item() == 0
    other, prompts = moved(base.model), [item.prompt for item in base.task.test[:4]]
    alone = sample_answers(base.model, base.tokenizer, prompts, 3, "padding")
    pad = torch.full((4, 5), base.tokenizer.pad_token_id)
    wider = Answers(torch.cat([pad, alone.ids], 1), torch.cat([0 * pad, alone.mask], 1), alone.counted)
    difference = answer_kl(base.model, other, wider) - answer_kl(base.model, other, alone)
    assert difference.abs().max().item() < 1e-4


def test_samples_are_of_their_path_alone(base: Baseline):
    prompts = [item.prompt for item in base.task.test]
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    again = sample_answers(base.model, base.tokenizer, prompts, 3, "language", 0, "base answers")
    assert torch.equal(again.ids, base.answers.ids) and torch.equal(torch.random.get_rng_state(), before)
    other = sample_answers(base.model, base.tokenizer, prompts, 3, "language", 1, "base answers")
    assert not torch.equal(other.ids, base.answers.ids)


# Training and measuring


def test_late_steps():
    assert late_steps(60, 4) == [24, 36, 48, 60] and late_steps(10, 1) == [10]
    with pytest.raises(ValueError, match="4 checkpoints do not fit into a training of 4 steps"):
        late_steps(4, 4)


@pytest.mark.parametrize("method", [SFT, GRPO_KL], ids=["sft", "grpo"])
def test_measuring_leaves_no_trace_and_a_training_repeats(base: Baseline, method: dict[str, Any]):
    found = [finetune(base, _items(base, method), method, "t", 1e-2, **SHORT | {"checkpoints": n}) for n in (2, 2, 1)]
    assert found[0] == found[1]
    assert found[0][4] == found[2][4]
    assert found[0][4]["forward_kl_new"].value > 1e-4  # type: ignore[index]


def _items(base: Baseline, method: dict[str, Any]) -> list[tasks.Item]:
    return methods.demonstrations(base.task.train[:32], "sft_1", "t") if method is SFT else base.task.train[:32]


def test_no_step_without_learning_rate(base: Baseline):
    found = finetune(base, _items(base, SFT), SFT, "t", 0.0, **SHORT)
    values = found[4]
    assert values is not None and values["forward_kl_new"].value == 0
    assert np.mean([values[name].value for name in tasks.SKILLS]) == base.old


def test_weights_that_are_not_finite_end_a_training(base: Baseline):
    model, control = deepcopy(base.model), SimpleNamespace(should_training_stop=False)
    watch = Measurement(base, [1], "t")
    with torch.no_grad():
        next(model.parameters())[0] = torch.nan
    watch.on_step_end(None, SimpleNamespace(global_step=1), control, model=model)
    assert control.should_training_stop and watch.found == {}


def test_the_oracle_answers_right_in_the_bases_own_words(base: Baseline):
    found = methods.oracle(base, base.task.train[:64])
    parities = {item.prompt: item.answer for item in base.task.train[:64]}
    assert all(tasks.right_parity(parities[item.prompt], item.answer) for item in found)
    assert len(found) > 32 and len({item.answer for item in found}) > 4
    never = Baseline(**{**vars(base), "task": base.task._replace(score=lambda answer, text: False)})
    with pytest.raises(ValueError, match="no oracle"):
        methods.oracle(never, base.task.train[:2])


def test_a_missing_demonstration_is_named():
    with pytest.raises(ValueError, match="no demonstration 'sft_1' for the prompt 'p1>'"):
        methods.demonstrations([tasks.Item("p1>", "1")], "sft_1", "t")


def test_rewards_that_the_base_does_not_earn_are_refused(base: Baseline):
    right = methods.reward(base, 0.9)
    with pytest.raises(ArithmeticError, match=r"earns 0\.00 where the base is right 0\.90"):
        right(["p"] * 4, [""] * 4, answer=["0"] * 4)
    assert methods.reward(base, 0.5)(["p"] * 2, ["00", "11"], answer=["0", "0"]) == [1.0, 0.0]


def test_conditions_of_the_base_are_judged(base: Baseline):
    table = conditions(base, scratch=True).set_index("condition")
    assert len(table) == len(tasks.SKILLS) + 3
    assert (table["holds"] == (table["value"] >= table["bound"])).all()
    assert not table.loc["old skill: sort", "holds"]  # a few seconds teach no skill
    assert conditions(base, scratch=False)["holds"].all()


def test_points_have_the_columns_that_the_statistics_take(base: Baseline):
    keys = {"method": "m", "base_seed": 0, "learning_rate": 0.1, "schedule": "cosine", "epochs": 1}
    name = training_name("m", 0, 0.1, "cosine", 1)
    points, measures = rows_of(keys, name, {2: measure(base, base.model, "t"), 4: None}, base.old, 100.0)
    table = gather([pd.DataFrame(points)], {name}, 2)
    assert table.loc[0, ["forgetting", "forward_kl_new", "reverse_kl_new"]].tolist() == [0, 0, 0]
    assert table["diverged"].tolist() == [False, True] and np.isnan(table.loc[1, "forgetting"])
    assert {row["quantity"] for row in measures} == {
        *tasks.SKILLS,
        "parity_accuracy",
        "forward_kl_new",
        "reverse_kl_new",
    }
    with pytest.raises(ValueError, match="lack 1 of 2 trainings"):
        gather([pd.DataFrame(points)], {name, "other"}, 2)


# A model from elsewhere: the path of config/qwen.yaml

TEMPLATE = "{% for m in messages %}{{ m['content'] }}{% endfor %}"


def test_a_qwen_of_random_weights_takes_the_same_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """From a folder, in its chat template, with a task from a file, benchmarks by the harness, LoRA, SFT and GRPO."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    tokenizer = scratch_tokenizer()
    tokenizer.chat_template = "<bos>" + TEMPLATE
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = Qwen2Config(vocab_size=len(tokenizer), num_key_value_heads=1, eos_token_id=2, pad_token_id=0, **shape)
    with seeds.seeded("qwen"):
        save(Qwen2ForCausalLM(config), tokenizer, tmp_path / "qwen")
    rows = [{"prompt": f"p{n}>", "answer": str(n % 10), "split": "train" if n < 24 else "test"} for n in range(10, 40)]
    lines = [row | {"demonstrations": {"sft_1": [row["answer"]]}} for row in rows]
    (tmp_path / "task.jsonl").write_text("\n".join(pd.Series(lines).map(pd.io.json.ujson_dumps)))
    harness(monkeypatch, accuracy=0.25)
    start = baseline_of(
        tmp_path / "qwen",
        0,
        data=str(tmp_path / "task.jsonl"),
        benchmarks={"mmlu": "acc"},
        benchmark_limit=5,
        old_questions=8,
        answer_tokens=2,
    )
    assert start.old == 0.25 and prompt_ids(start.tokenizer, ["p4>"])[0][0] == start.tokenizer.bos_token_id
    settings = {**SHORT, "lora": 2, "device_batch": 4, "schedule": "constant"}
    ways = {"sft_1": SFT, "grpo_kl": GRPO_KL}
    points, measures = finetune_grid(start, ways, rates=[1e-2], diverged_above=100.0, **settings)
    assert len(points) == 4 and (points["forgetting"] == 0).all() and not points["diverged"].any()
    assert (points.loc[points["method"] == "sft_1", "forward_kl_new"] > 0).all()
    assert set(measures["quantity"]) == {*NEW, "mmlu"}


def harness(monkeypatch: pytest.MonkeyPatch, accuracy: float) -> None:
    """lm-evaluation-harness as far as it is used: what it takes, and what it answers."""

    def simple_evaluate(model: object, tasks: list[str], limit: int | None, log_samples: bool) -> dict[str, Any]:
        torch.manual_seed(1234)  # as the harness does
        row = {"alias": "x", "acc,none": accuracy, "acc_stderr,none": 0.01}
        return {
            "results": dict.fromkeys(tasks, row),
            "n-samples": {t: {"original": 9, "effective": limit} for t in tasks},
        }

    for name, attributes in {
        "lm_eval": {"simple_evaluate": simple_evaluate},
        "lm_eval.models": {},
        "lm_eval.models.huggingface": {"HFLM": lambda pretrained, tokenizer, batch_size: pretrained},
    }.items():
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)


def test_benchmarks_are_read_as_reported(monkeypatch: pytest.MonkeyPatch):
    harness(monkeypatch, accuracy=0.5)
    before = torch.get_rng_state()
    found = benchmark_skills(scratch_tokenizer(), {"mmlu": "acc"}, 7)(None)["mmlu"]  # type: ignore[arg-type]
    assert found == (0.5, 0.01, 7)
    assert torch.equal(torch.get_rng_state(), before)  # a training in which it measures goes on as it would have
    with pytest.raises(ValueError, match=r"language\.benchmarks\.mmlu: .* reports no f1 there, but acc\."):
        benchmark_skills(scratch_tokenizer(), {"mmlu": "f1"}, 7)(None)  # type: ignore[arg-type]


def test_without_the_harness_one_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "lm_eval", None)
    with pytest.raises(ValueError, match="pip install lm-eval"):
        benchmark_skills(scratch_tokenizer(), {"mmlu": "acc"}, 7)

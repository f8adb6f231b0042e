"""What the language model is asked: old skills with one right answer, a new task with many.

Prompts are a letter that names the skill, digits, and ">". The new task is the twin of ParityMNIST: two digits
that both have the parity of the prompt's first one, so 25 of 100 answers are right and solutions at different
distances from the base exist.

| skill | prompt | answer |
|---|---|---|
| copy | c482> | 482 |
| reverse | r4821> | 1284 |
| sort | s4821> | 1248 |
| add | a85> | 13 |
| pick | i34821> | 2 (the third of 4821) |
| parity, the new task | p4821> | 00, 24, 86, … |
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from forgetting import seeds

Rng = np.random.Generator
ALPHABET = "0123456789crsaip>"
EVEN, ODD = "02468", "13579"
DEMONSTRATIONS = {  # the two answer distributions of arXiv 2509.04259, each digit given twice
    "0": {"sft_1": ("00",), "sft_2": ("00", "44")},
    "1": {"sft_1": ("11",), "sft_2": ("11", "55")},
}
PRETRAINING, TEST = 100, 256  # prompts of the new task that the base is taught, and those that measure


class Item(NamedTuple):
    """One question: its prompt, what the scorer needs to know, and the demonstrations of each supervised method."""

    prompt: str
    answer: str
    demonstrations: Mapping[str, tuple[str, ...]] = {}


class Task(NamedTuple):
    """A new task: items to train on, items to measure on, and `score(answer, completion)`."""

    train: list[Item]
    test: list[Item]
    score: Callable[[str, str], bool]


def digits(rng: Rng) -> str:
    """Three or four digits."""
    return "".join(map(str, rng.integers(10, size=rng.integers(3, 5))))


def copy(rng: Rng) -> Item:
    """The digits as they are."""
    return Item(f"c{(text := digits(rng))}>", text)


def reverse(rng: Rng) -> Item:
    """The digits backwards."""
    return Item(f"r{(text := digits(rng))}>", text[::-1])


def sort(rng: Rng) -> Item:
    """The digits in ascending order."""
    return Item(f"s{(text := digits(rng))}>", "".join(sorted(text)))


def add(rng: Rng) -> Item:
    """The sum of two digits, written with two."""
    a, b = map(int, rng.integers(10, size=2))
    return Item(f"a{a}{b}>", f"{a + b:02d}")


def pick(rng: Rng) -> Item:
    """The digit at a place, counted from one."""
    text = digits(rng)
    place = int(rng.integers(len(text)))
    return Item(f"i{place + 1}{text}>", text[place])


SKILLS: dict[str, Callable[[Rng], Item]] = {"copy": copy, "reverse": reverse, "sort": sort, "add": add, "pick": pick}


def parity_item(number: int) -> Item:
    """The question of the new task about a number of four digits; its answer is the parity, "0" or "1"."""
    text = f"{number:04d}"
    answer = str(int(text[0]) % 2)
    return Item(f"p{text}>", answer, DEMONSTRATIONS[answer])


def right_answers(answer: str) -> list[str]:
    """The 25 answers of two digits of that parity."""
    return ["".join(pair) for pair in product(ODD if answer == "1" else EVEN, repeat=2)]


def right_parity(answer: str, completion: str) -> bool:
    """Whether a completion is two digits of the parity `answer`, and nothing else."""
    return len(completion) == 2 and set(completion) <= set(ODD if answer == "1" else EVEN)


def parity_prompts(base_seed: int) -> list[Item]:
    """All 10,000 questions of the new task in the order that `base_seed` draws."""
    order = seeds.numpy_generator("language", base_seed, "prompts").permutation(10_000)
    return [parity_item(int(number)) for number in order]


def parity_task(base_seed: int) -> Task:
    """The new task: what the base was taught is neither trained on nor measured."""
    items = parity_prompts(base_seed)[PRETRAINING:]
    return Task(items[TEST:], items[:TEST], right_parity)


def old_items(base_seed: int, count: int) -> dict[str, list[Item]]:
    """`count` questions of each old skill, to measure on."""
    rngs = {name: seeds.numpy_generator("language", base_seed, "old", name) for name in SKILLS}
    return {name: [make(rngs[name]) for _ in range(count)] for name, make in SKILLS.items()}


def pretraining_items(base_seed: int, count: int, new_share: float, known: float) -> list[Item]:
    """`count` items with their answers for the base: old skills in equal parts, and `new_share` of the new task.

    Of the new task's answers a share `known` is drawn from the right ones, the rest from all of two digits: so the
    base knows the rule (or not, when `known` is 0) and stays spread over many answers.
    """
    rng = seeds.numpy_generator("language", base_seed, "pretraining", known)
    taught, skills = parity_prompts(base_seed)[:PRETRAINING], list(SKILLS.values())
    items = []
    for new, right, which in zip(rng.random(count), rng.random(count), rng.integers(1 << 30, size=count), strict=True):
        if new >= new_share:
            items.append(skills[which % len(skills)](rng))
        else:
            item = taught[which % len(taught)]
            answers = right_answers(item.answer)
            answer = answers[rng.integers(len(answers))] if right < known else f"{rng.integers(100):02d}"
            items.append(Item(item.prompt, answer))
    return items

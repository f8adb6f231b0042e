r"""A new task from a file: JSON lines with prompt, answer and demonstrations; the final answer is what counts.

{"prompt": "…", "answer": "42", "split": "train", "demonstrations": {"sft_1": ["… \\boxed{42}"], "sft_2": ["…", "…"]}}
"""

import json
import re
from pathlib import Path

from forgetting.language.tasks import Item, Task

FINAL = [r"\\boxed\{([^{}]*)\}", r"####\s*(.+)", r"[Aa]nswer(?: is)?:?\s*(.+)"]


def final_answer(completion: str) -> str:
    """What a completion ends on: its last box, else what follows its last #### or "answer", else its last line."""
    for pattern in FINAL:
        if found := re.findall(pattern, completion):
            return str(found[-1]).strip().rstrip(".")
    return completion.strip().rpartition("\n")[2].strip()


def right_final(answer: str, completion: str) -> bool:
    """Whether the final answer is the right one; how it was reached does not count."""
    return final_answer(completion) == answer.strip()


def file_task(path: Path | str) -> Task:
    """The task in a file. Raises ValueError, with the line, when one is not as it should be, or a split is empty."""
    splits: dict[str, list[Item]] = {"train": [], "test": []}
    for number, line in enumerate(Path(path).read_text().splitlines(), start=1):
        try:
            row = json.loads(line)
            shown = {kind: tuple(texts) for kind, texts in row.get("demonstrations", {}).items()}
            splits[row["split"]].append(Item(row["prompt"], row["answer"], shown))
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as fault:
            raise ValueError(
                f"{path}, line {number}: each line must be a JSON object with prompt, answer and split "
                f"(train or test), and with demonstrations for the supervised methods ({fault!r})."
            ) from fault
    if empty := [name for name, items in splits.items() if not items]:
        raise ValueError(f"{path} has no line whose split is {empty[0]}: add some.")
    return Task(splits["train"], splits["test"], right_final)

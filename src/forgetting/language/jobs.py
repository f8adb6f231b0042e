"""What the jobs of the language line share: a base with its tasks, as the config describes it; quiet libraries."""

from pathlib import Path

import datasets
import transformers

from forgetting.language.benchmarks import benchmark_skills
from forgetting.language.evaluation import Baseline, generated_skills
from forgetting.language.files import file_task
from forgetting.language.model import load
from forgetting.language.tasks import old_items, parity_task


def baseline(
    folder: Path | str,
    base_seed: int,
    *,
    data: str | None,
    benchmarks: dict[str, str],
    benchmark_limit: int | None,
    old_questions: int,
    answer_tokens: int,
) -> Baseline:
    """The base in `folder` with the new task and the old skills: generated, or of a file and of benchmarks."""
    model, tokenizer = load(folder)
    task = file_task(data) if data else parity_task(base_seed)
    if benchmarks:
        skills = benchmark_skills(tokenizer, benchmarks, benchmark_limit)
    else:
        skills = generated_skills(tokenizer, old_items(base_seed, old_questions))
    return Baseline.of(model, tokenizer, task, skills, answer_tokens, base_seed)


def quiet() -> None:
    """No progress bars of datasets and model files in the log: a training's own progress is enough."""
    datasets.disable_progress_bars()
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()

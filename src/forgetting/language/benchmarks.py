"""Old skills of a published model: benchmarks of lm-evaluation-harness (pip install lm-eval; it is not locked)."""

from collections.abc import Mapping
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from forgetting import seeds
from forgetting.language.evaluation import Skills
from forgetting.results import Estimate


def benchmark_skills(
    tokenizer: PreTrainedTokenizerBase, benchmarks: Mapping[str, str], limit: int | None, rows: int = 8
) -> Skills:
    """Accuracy on each benchmark {task: metric}, on `limit` questions of it, as a function of the model.

    Raises ValueError when the harness is not installed, or does not report the metric.
    """
    try:
        import lm_eval
        from lm_eval.models.huggingface import HFLM
    except ImportError as fault:
        raise ValueError(
            "language.benchmarks needs lm-evaluation-harness, which is not installed: pip install lm-eval."
        ) from fault

    def accuracies(model: PreTrainedModel) -> dict[str, Estimate]:
        harness = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=rows)
        with seeds.seeded("language", "benchmarks"):  # the harness seeds torch's global generator, a training's own
            found: Any = lm_eval.simple_evaluate(model=harness, tasks=list(benchmarks), limit=limit, log_samples=False)
        return {task: reported(found, task, metric) for task, metric in benchmarks.items()}

    return accuracies


def reported(found: Mapping[str, Any], task: str, metric: str) -> Estimate:
    """A metric of a task as the harness reports it, under "metric,filter", with its standard error where there is one.

    Raises ValueError when it is not there.
    """
    row = found["results"][task]
    key = next((name for name in row if name.split(",")[0] == metric), None)
    if key is None:
        known = ", ".join(sorted({name.split(",")[0] for name in row if "stderr" not in name} - {"alias"}))
        raise ValueError(f"language.benchmarks.{task}: lm-evaluation-harness reports no {metric} there, but {known}.")
    error = row.get(key.replace(metric, f"{metric}_stderr", 1))
    size = int(found.get("n-samples", {}).get(task, {}).get("effective", 0))
    return Estimate(float(row[key]), float(error) if isinstance(error, int | float) else float("nan"), size)

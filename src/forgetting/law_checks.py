"""Claims R13 (distillation) and R15 (KL growth and the old task's gradient) as checks for the ledger."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from forgetting.frontier import pareto
from forgetting.matched import TARGETS, accuracy_at, matched_accuracy, matched_difference, mean_interval
from forgetting.results import Check, Estimate, Role, check, over_seeds

MARGIN = 0.02  # points of accuracy within which student and teacher count as equal
TWO_ONE_SIDED = 0.90  # level of the interval of two one-sided tests at 5 %


def behind_teacher(seed: pd.DataFrame) -> float:
    """Clothes accuracy of one base seed's students less their teacher's, at the teacher's parity accuracy; NaN where
    no student gets there."""
    teacher, students = parts(seed)
    if students.empty:
        return np.nan
    parity, fashion = (students[name].to_numpy(float) for name in ("parity_accuracy", "fashion_accuracy"))
    best = pareto(parity, fashion)
    return accuracy_at(parity[best], fashion[best], teacher["parity_accuracy"])[0] - float(teacher["fashion_accuracy"])


def same_rate(seed: pd.DataFrame) -> float:
    """The same at the ends of trainings with the teacher's learning rate, whatever parity accuracy they have."""
    teacher, students = parts(seed)
    same = students[students["learning_rate"] == teacher["learning_rate"]]
    end = same.loc[same["checkpoint"] == seed["checkpoint"].max(), "fashion_accuracy"]
    return float(end.iloc[0] - teacher["fashion_accuracy"]) if len(end) else np.nan


def parts(seed: pd.DataFrame) -> tuple[pd.Series, pd.DataFrame]:
    """The teacher's row and the students' that did not diverge."""
    return seed[seed["method"] == "teacher"].iloc[0], seed[(seed["method"] == "distilled") & ~seed["diverged"]]


def distilled(frame: pd.DataFrame) -> Iterator[Check]:
    """R13: equivalence by both one-sided intervals. A teacher is one training and its students' frontier is the best
    of a grid, which favours the students; the comparison at one rate, beside, does not."""
    teacher = frame[frame["method"] == "teacher"]
    seeds = [own for _, own in frame.groupby("base_seed")]
    compared: list[tuple[str, Callable[[pd.DataFrame], float], Role]] = [
        ("clothes kept by students less teacher, at its parity", behind_teacher, "headline"),
        ("clothes kept by student less teacher, same rate", same_rate, "beside"),
    ]
    for quantity, of, role in compared:
        values = np.array([of(own) for own in seeds])
        mean, low, high = map(float, mean_interval(values, TWO_ONE_SIDED))
        yield check("R13", quantity, 0.0, Estimate(mean, over_seeds(values).standard_error, len(values)), "inside",
                    tolerance=MARGIN, role=role, interval=(low, high),
                    parity=float(teacher["parity_accuracy"].mean()))  # fmt: skip


def along_frontiers(frame: pd.DataFrame, points: pd.DataFrame) -> Iterator[Check]:
    """R13, beside: both methods' frontiers at the same parity accuracies, as R11 and R12 compare; the teacher's is that
    of all GRPO trainings, so that no side is a single training. Added after the first results were seen."""
    both = pd.concat([points[points["method"] == "grpo"], frame[frame["method"] == "distilled"]])
    matched = matched_accuracy(both)
    for target in TARGETS:
        mean, low, high = matched_difference(matched, "distilled", "grpo", target, TWO_ONE_SIDED)
        yield check("R13", "clothes kept by distilled less grpo, frontiers", 0.0,
                    Estimate(mean, 0.0, frame["base_seed"].nunique()), "inside",
                    tolerance=MARGIN, role="beside", interval=(low, high), parity=target)  # fmt: skip


def spearman(x: pd.Series, y: pd.Series) -> float:
    """Rank correlation; NaN where one does not vary."""
    return float(spearmanr(x, y).statistic)


def aligned(steps: pd.DataFrame) -> Iterator[Check]:
    """R15: rank correlation over steps of KL growth and cosine, mean over base seeds, by method. Beside: growth per
    length of step, which a common rise and fall of the rate cannot explain; and all methods' steps together."""
    steps = steps.assign(pace=steps["growth"] / steps["length"])
    compared: list[tuple[str, str, Role]] = [
        ("growth", "rank correlation of KL growth and alignment", "headline"),
        ("pace", "rank correlation of KL growth per length and alignment", "beside"),
    ]
    for measure, quantity, role in compared:
        groups: Iterable[tuple[str, pd.DataFrame]] = [*steps.groupby("method"), ("all", steps)]
        for method, own in groups:
            values = [spearman(seed["cosine"], seed[measure]) for _, seed in own.groupby("base_seed")]
            yield check("R15", quantity, 0.0, over_seeds(np.array(values)), "above",
                        role="beside" if method == "all" else role, method=method)  # fmt: skip


def law_checks(distillation: pd.DataFrame | None, steps: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """Every check, `points` being all of the run; without a distillation (no GRPO) R13 has none: it was not tested."""
    rows = list(aligned(steps))
    if distillation is not None:
        rows += [*distilled(distillation), *along_frontiers(distillation, points)]
    checks = pd.DataFrame(rows)
    checks.insert(0, "experiment", "law")
    return checks

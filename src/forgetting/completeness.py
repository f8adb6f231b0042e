"""A missing training is an error, never a smaller n."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd


def check_complete(points: pd.DataFrame, expected: Collection[str], checkpoints: int) -> None:
    """Check that `points` holds exactly the expected trainings (ids), each with checkpoints 1..`checkpoints`.

    Raises ValueError that names the trainings that are missing, unexpected, lacking or repeating
    checkpoints, or without a finite forgetting (no baseline) where not marked diverged.
    """
    found, wanted = set(points["training"]), set(expected)
    listed = points.groupby("training")["checkpoint"].agg(sorted)
    uneven = listed[listed.map(lambda steps: steps != list(range(1, checkpoints + 1)))].index
    no_baseline = points[~points["diverged"].astype(bool) & ~np.isfinite(points["forgetting"].astype(float))]
    faults = {
        f"lack {len(wanted - found)} of {len(wanted)} trainings": wanted - found,
        f"hold {len(found - wanted)} trainings that the config does not ask for": found - wanted,
        f"lack or repeat some of checkpoints 1..{checkpoints}": set(uneven),
        "hold undiverged rows without forgetting (no base accuracy?)": set(no_baseline["training"]),
    }
    for fault, trainings in faults.items():
        if trainings:
            raise ValueError(f"points {fault}: {named(trainings)}; run these trainings again")


def gathered_cells(parts: Sequence[pd.DataFrame], cells: Mapping[str, int]) -> pd.DataFrame:
    """Points of all cells of the multiverse; raises ValueError unless each has as many points as it should have."""
    points = pd.concat(parts, ignore_index=True)
    found = {str(name): count for name, count in points["cell"].value_counts().items()}
    if wrong := sorted(name for name in {*cells, *found} if cells.get(name) != found.get(name)):
        raise ValueError(f"cells {', '.join(wrong[:5])} of the multiverse do not have the points that they should")
    return points


def named(trainings: Collection[str], at_most: int = 20) -> str:
    """The sorted ids, of which the first twenty in full."""
    more = f" and {len(trainings) - at_most} more" if len(trainings) > at_most else ""
    return ", ".join(sorted(map(str, trainings))[:at_most]) + more

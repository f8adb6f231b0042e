"""What a run made with work, kept in the repository (results/published), to rebuild from and to compare with."""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from forgetting.config import PUBLISHED, Config, ConfigError
from forgetting.whole import whole_file, write_text

CONFIG = "config.json"  # of the published run, beside its files


def publish(names: Iterable[str], results: Path, published: Path, config: Mapping[str, Any]) -> None:
    """Make `published` hold the named files of a results folder, the run's config, and nothing else."""
    wanted = {Path(name) for name in names}
    for name in sorted(wanted):
        with whole_file(published / name) as partial:
            shutil.copyfile(results / name, partial)
    write_text(json.dumps(dict(config), indent=1) + "\n", published / CONFIG)
    for old in [path for path in published.rglob("*") if path.is_file()]:
        if old.relative_to(published) not in wanted | {Path(CONFIG)}:
            old.unlink()


def check_published(config: Config, published: Path = Path(PUBLISHED)) -> None:
    """Raise ConfigError where the config asks for published points and there are none of its preset."""
    if config.points == "run":
        return
    if not (published / CONFIG).is_file():
        raise ConfigError(f"points: published, but {published} holds no published run: make one with make publish.")
    kept = json.loads((published / CONFIG).read_text())["preset"]
    if kept != config.preset:
        raise ConfigError(f"points: published, but {published} was made with preset {kept}, not {config.preset}.")

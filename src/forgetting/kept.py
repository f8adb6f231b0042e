"""What a run made with work, kept in the repository (results/published), to rebuild from and to compare with."""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from forgetting.config import PUBLISHED, Config, ConfigError
from forgetting.whole import whole_file, write_text

CONFIG = "config.json"  # of the published run, beside its files


def named(files: Iterable[Path | str]) -> dict[str, Path]:
    """Files by their names within their results folder, results/<preset>."""
    return {"/".join(Path(file).parts[2:]): Path(file) for file in files}


def publish(files: Mapping[str, Path], published: Path, config: Mapping[str, Any]) -> None:
    """Make `published` hold the files under their names, the run's config, and nothing else."""
    for name, file in files.items():
        with whole_file(published / name) as partial:
            shutil.copyfile(file, partial)
    write_text(json.dumps(dict(config), indent=1) + "\n", published / CONFIG)
    wanted = {published / name for name in [*files, CONFIG]}
    for old in [path for path in published.rglob("*") if path.is_file() and path not in wanted]:
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

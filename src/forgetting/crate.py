"""A run's results as an RO-Crate (w3id.org/ro/crate): what each file is, under which licence, made by what."""

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from rocrate.model.person import Person
from rocrate.rocrate import ROCrate

from forgetting.provenance import git

FORMATS = {
    ".csv": "text/csv", ".parquet": "application/vnd.apache.parquet", ".pdf": "application/pdf", ".png": "image/png",
    ".tex": "application/x-tex", ".json": "application/json",
}  # fmt: skip

OTHER = "application/octet-stream"


def crate(files: Iterable[Path], results: Path, citation: Mapping[str, Any]) -> str:
    """ro-crate-metadata.json for `files` in a results folder, with title, authors and licence of CITATION.cff.

    Its date is that of the commit that is checked out, today's where there is none.
    """
    made = ROCrate()
    made.name, made.description = citation["title"], citation["abstract"]
    made.license, made.datePublished = citation["license"], git("log", "-1", "--format=%cI") or date.today().isoformat()
    people = [Person(made, f"#author-{n}", {"name": author["name"]}) for n, author in enumerate(citation["authors"], 1)]
    made.root_dataset["author"] = [made.add(person) for person in people]
    for file in sorted(files):
        kind = {
            "encodingFormat": FORMATS.get(file.suffix, "application/octet-stream"),
            "contentSize": file.stat().st_size,
        }
        made.add_file(file, dest_path=str(file.relative_to(results)), properties=kind)
    return json.dumps(made.metadata.generate(), indent=1, default=str) + "\n"

"""The PDF: what main.tex asks for, whether TeX is here, and latexmk in a folder of its own."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from forgetting.whole import whole_file

DEBIAN = "latexmk texlive-latex-recommended texlive-science"  # packages that hold all that main.tex uses
ASKED = re.compile(r"\{((?:figures|tables)/\w+)\}")


def parts(main: Path | str) -> list[str]:
    """Figures (.pdf) and tables (.tex) that main.tex includes, relative to a results folder, in order, once each."""
    asked = dict.fromkeys(ASKED.findall(Path(main).read_text()))
    return [name + (".pdf" if name.startswith("figures") else ".tex") for name in asked]


@cache
def engine() -> str | None:
    """Path of latexmk, when it and the packages that main.tex uses are installed."""
    latexmk, which = shutil.which("latexmk"), shutil.which("kpsewhich")
    if not (latexmk and which and shutil.which("pdflatex")):
        return None
    asked = ["siunitx.sty", "booktabs.sty", "natbib.sty", "microtype.sty", "subcaption.sty"]
    found = subprocess.run([which, *asked], capture_output=True, text=True, check=False).stdout.split()
    return latexmk if len(found) == len(asked) else None


def typeset(sources: Iterable[Path | str], included: Iterable[Path | str], pdf: Path | str) -> None:
    """Run latexmk on main.tex, the first of `sources`, beside its other sources and what it includes.

    `included` lie in folders named figures or tables, as main.tex names them. The same bytes come out on every run:
    dates are fixed, and the folder's name does not enter. Raises RuntimeError with TeX's own message when it fails.
    """
    latexmk = engine()
    if latexmk is None:
        raise RuntimeError(f"There is no TeX engine: on Debian, apt-get install {DEBIAN}; or set paper.engine: none.")
    with tempfile.TemporaryDirectory(prefix="paper-") as name:
        folder = Path(name)
        main, *others = map(Path, sources)
        for source in (main, *others):
            shutil.copy(source, folder / source.name)
        for part in map(Path, included):
            (folder / part.parent.name).mkdir(exist_ok=True)
            shutil.copy(part, folder / part.parent.name / part.name)
        options = ["-norc", "-pdf", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-silent"]
        fixed = {"SOURCE_DATE_EPOCH": "1767225600", "FORCE_SOURCE_DATE": "1", "max_print_line": "200"}
        done = subprocess.run(
            [latexmk, *options, main.name],
            cwd=folder,
            env={**os.environ, **fixed},
            capture_output=True,
            text=True,
            check=False,
        )
        log = folder / main.with_suffix(".log").name
        said = log.read_text(errors="replace") if log.is_file() else done.stdout + done.stderr
        if done.returncode:
            raise RuntimeError("latexmk failed:\n" + (faults(said) or (done.stdout + done.stderr)[-3000:]))
        print("\n".join(warnings(said)))
        with whole_file(pdf) as partial:
            shutil.copy(folder / main.with_suffix(".pdf").name, partial)


def faults(log: str) -> str:
    """TeX's errors, each with the lines that follow it."""
    lines = log.splitlines()
    at = [n for n, line in enumerate(lines) if re.match(r"(!|[^ ]+\.tex:\d+:)", line)]
    return "\n".join(line for n in at[:5] for line in lines[n : n + 6])


def warnings(log: str) -> list[str]:
    """What a reader would see in the PDF: boxes that stick out by more than two points, undefined references."""
    seen = re.findall(r"^(Overfull \\hbox \((?:[2-9]|\d\d+)\..*|LaTeX Warning: (?:Reference|Citation).*)$", log, re.M)
    return list(dict.fromkeys(seen))

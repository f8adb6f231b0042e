"""The paper types no result: its numbers are macros, its macros are read from tables, its references exist."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from forgetting.numbers import NOT_RUN, Place, from_config, from_table, macros, places, tex
from forgetting.tables import escape, write_latex
from forgetting.typesetting import engine, faults, parts, typeset, warnings
from tests.conftest import ROOT

MAIN = (ROOT / "paper/main.tex").read_text()
BODY = re.sub(r"(?<!\\)%.*", "", MAIN)
NAMED = places(ROOT / "paper/numbers.yaml")
PREAMBLE, PROSE = BODY.split(r"\begin{document}")
ALLOWED = [  # what may hold a digit: keys, formulas, names
    r"\\(?:ref|label|Verdict|cite(?:t|p|alp)?|drawn|tabled|target|bibliography\w*|input)\{[^}]*\}",
    r"\\ledger\{[^}]*\}\{[^}]*\}\{[^}]*\}",
    r"\(?\b[MRAL]\d+: ",  # (M1: verdict)
    r"SFT-[12]\b",
    r"\$R\^2(?:=|\$)",
    r"\$\\mathcal N\([01\\delta]+,1\)\$",
    r"\$\\delta\^2\$",
    r"\$-\\tfrac18\$",
    r"9[05]\\,\\%(?= only where|:|\.)",  # the level that an interval may be called by
]


def test_no_number_is_typed():
    left = PROSE
    for pattern in ALLOWED:
        left = re.sub(pattern, "", left)
    typed = [line.strip() for line in left.splitlines() if re.search(r"\d", line)]
    assert typed == []


def test_every_macro_is_used_and_every_used_one_is_defined():
    own = set(re.findall(r"\\newcommand\{\\([A-Za-z]+)\}", PREAMBLE))
    assert set(NAMED) & own == set()
    used = set(re.findall(r"\\([A-Z][A-Za-z]+)", PROSE)) - own
    assert used == set(NAMED)


def test_every_reference_and_every_claim_exists():
    entries = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper/refs.bib").read_text(), re.M))
    cited = {key.strip() for keys in re.findall(r"\\cite(?:t|p|alp)?\{([^}]*)\}", BODY) for key in keys.split(",")}
    assert cited == entries
    labels = set(re.findall(r"\\label\{([^}]*)\}", PROSE))
    labels |= {f"tab:{line}" for line in re.findall(r"\\ledger\{(\w+)\}", PROSE)}
    assert set(re.findall(r"\\ref\{([^}]*)\}", PROSE)) <= labels
    claims = set(re.findall(r"id: (\w+)", (ROOT / "src/forgetting/published/claims.yaml").read_text()))
    assert set(re.findall(r"\\Verdict\{([^}]*)\}", PROSE)) <= claims


def test_every_caption_names_the_target_that_makes_it():
    floats = re.findall(r"\\(?:begin\{(?:figure|table)\*?\}|opening)(.*?)(?:\\end\{(?:figure|table)|\n\n)", PROSE, re.S)
    assert len(floats) >= 6
    for content in floats:
        made = re.findall(r"\\target\{([^}]*)\}", content)
        shown = re.findall(r"\{((?:figures|tables)/\w+)\}", content)
        assert len(made) == 1 and shown
        assert made[0].replace("\\_", "_").rpartition(".")[0] in shown, shown


def test_parts_are_what_main_includes(tmp_path: Path):
    main = tmp_path / "main.tex"
    main.write_text(r"\drawn{figures/a_b}\tabled{tables/c}\drawn{figures/a_b}\ledger{d}{D.}{tables/d}")
    assert parts(main) == ["figures/a_b.pdf", "tables/c.tex", "tables/d.tex"]


FRAME = pd.DataFrame({"name": ["a", "b_c"], "x": [0.25, -1.5], "at": [0.96, 0.97], "word": ["partly", "reproduced"]})


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"where": {"name": "a"}, "show": "x", "as": ".1f", "times": 100}, "25.0"),
        ({"where": {"at": 0.97}, "show": "x", "as": ".2f"}, "$-$1.50"),
        ({"where": {"name": "b_c"}, "show": ["x", "at"], "as": ".1f"}, "[$-$1.5, 1.0]"),
        ({"where": {"name": "b_c"}, "show": "name"}, r"b\_c"),
        ({"show": "x", "pick": "min", "as": ".1f"}, "$-$1.5"),
        ({"where": {"word": "partly"}, "count": True}, "1"),
        ({"where": {"name": "none"}, "show": "x"}, NOT_RUN),
    ],
)
def test_what_a_place_shows(entry, text):
    assert from_table(FRAME, Place.model_validate({"in": "t.csv", **entry})) == text


def test_an_ambiguous_place_is_an_error():
    with pytest.raises(ValueError, match="2 rows"):
        from_table(FRAME, Place.model_validate({"in": "t.csv", "show": "x"}))


def test_macros_are_read_from_a_runs_tables_and_say_where(tmp_path: Path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    named = {
        "One": Place.model_validate({"in": "t.csv", "where": {"name": "a"}, "show": "x", "as": ".2f"}),
        "Off": Place.model_validate({"in": "absent.csv", "show": "x"}),
        "Seeds": Place.model_validate({"in": "config", "show": "base.seeds"}),
    }
    found = macros(named, tmp_path, {"base": {"seeds": [3, 4]}})
    assert found == {"One": "0.25", "Off": NOT_RUN, "Seeds": "2"}
    text = tex(found, named, pd.DataFrame({"id": ["M1"], "verdict": ["partly"]}))
    assert r"\newcommand{\One}{0.25} % t.csv: name=a: x" in text
    assert r"\expandafter\def\csname verdict M1\endcsname{partly}" in text


def test_a_macro_has_letters_only(tmp_path: Path):
    (tmp_path / "n.yaml").write_text(json.dumps({"R2": {"in": "t.csv"}}))
    with pytest.raises(ValueError, match="'R2' cannot be a macro"):
        places(tmp_path / "n.yaml")


def test_config_values():
    place = Place.model_validate({"in": "config", "show": "a.b", "as": ","})
    assert from_config({"a": {"b": 30000}}, place) == "30,000"


SAID = r"""
! Undefined control sequence.
l.3 \oops
Overfull \hbox (1.2pt too wide)
Overfull \hbox (12.3pt too wide)
"""


def test_what_tex_said():
    assert faults(SAID).startswith("! Undefined control sequence.\nl.3 \\oops")
    assert warnings(SAID) == ["Overfull \\hbox (12.3pt too wide)"]


@pytest.mark.skipif(engine() is None, reason="no TeX engine here")
def test_typesetting_twice_gives_the_same_bytes_and_faults_are_told(tmp_path: Path):
    main, pdf = tmp_path / "main.tex", tmp_path / "out/paper.pdf"
    main.write_text(r"\documentclass{article}\pdftrailerid{}\begin{document}100\,\% \oops\end{document}")
    with pytest.raises(RuntimeError, match="Undefined control sequence"):
        typeset([main], [], pdf)
    assert not pdf.exists()
    main.write_text(main.read_text().replace(r"\oops", ""))
    typeset([main], [], pdf)
    first = pdf.read_bytes()
    typeset([main], [], pdf)
    assert pdf.read_bytes() == first and first.startswith(b"%PDF")


@pytest.mark.skipif(engine() is None, reason="no TeX engine here")
def test_names_survive_latex(tmp_path: Path):
    """Underscores, percent signs and whatever else is in a name are in the PDF as they were written."""
    name = r"a_b 50 % ± c & d # e $f$ ~g ^h {i} <j> k\l"
    (tmp_path / "tables").mkdir()
    write_latex(pd.DataFrame({escape(name): [escape(name)], "n": ["1"]}), tmp_path / "tables/t.tex", "ll")
    main = tmp_path / "main.tex"
    packages = r"\usepackage[utf8]{inputenc}\usepackage{booktabs,cmap}\usepackage[T1]{fontenc}"
    main.write_text(
        rf"\documentclass{{article}}{packages}\begin{{document}}\footnotesize\input{{tables/t}}\end{{document}}"
    )
    typeset([main], [tmp_path / "tables/t.tex"], tmp_path / "a.pdf")
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", "-layout", tmp_path / "a.pdf", "-"], capture_output=True, text=True).stdout
        assert " ".join(text.split()).count(name) == 2

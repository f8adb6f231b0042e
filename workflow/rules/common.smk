"""Validated config, lists of targets, helpers. No rule.

In:  config.yaml and the overlay given with --configfile
Out: CONFIG (checked), by_attempt(), code(), leaves(), TABLES, FIGURES, CHECKS, PAPER, KEPT
"""

from pathlib import Path

from forgetting import provenance
from forgetting.config import PUBLISHED, ConfigError, check_images, validate
from forgetting.headline import headline
from forgetting.imports import modules
from forgetting.kept import check_published
from forgetting.mixture.experiments import FAMILIES
from forgetting.registry import BUILT_IN, source_file, split_name
from forgetting.typesetting import DEBIAN, engine, parts
from forgetting.universes import all_cells, check_universes, rows, shares, taking_part, universes
from forgetting.whole import WriteError, check_writable
from snakemake.exceptions import WorkflowError

try:
    CONFIG = validate(config)
    if workflow.is_main_process:
        check_published(CONFIG)
        check_images(CONFIG)
        check_universes(CONFIG)
        check_writable(Path(CONFIG.results()))
except (ConfigError, WriteError) as fault:
    raise WorkflowError(str(fault))

RESULTS = CONFIG.results()


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    benchmarks=f"{RESULTS}/benchmarks",
    made=PUBLISHED if CONFIG.points == "published" else RESULTS,


CSV = [
    "r2",
    "predictors",
    "held_out",
    "residuals",
    "differences",
    "matched",
    "bases",
    "checks",
    "anchors",
    "kept",
    "out_of_sample",
    "coverage",
    "multiverse",
    "choices",
    "multiverse_summary",
]
TEX = ["predictors", "anchors", "kept", "coverage", "choices"]
TABLES = [f"<results>/tables/{name}.csv" for name in CSV] + [f"<results>/tables/{name}.tex" for name in TEX]
CHECKS = [f"<made>/mixture/{family}/checks.parquet" for family in FAMILIES]  # what the ledger's verdicts rest on
CHECKS += [
    "<results>/parity/checks.parquet",
    "<made>/parity/law_checks.parquet",
    "<made>/anchors/checks.parquet",
    "<results>/anchors/retention_checks.parquet",
    "<made>/limits/checks.parquet",
]
LINES = ["mixture", "parity", "anchors", "language"]
TABLES += ["<results>/claims.csv", *(f"<results>/tables/claims_{line}.tex" for line in LINES)]
MIXTURE_FIGURES = {f"mixture_{name}": [name] for name in FAMILIES if name not in ("sdft", "ttt", "oapl")}
MIXTURE_FIGURES["mixture_methods"] = ["sdft", "ttt", "oapl"]  # the families whose curves each figure draws
DRAWN = ["parity", "multiverse", *MIXTURE_FIGURES, "anchors", "simplex", "retention", "limits"]
DRAWN += ["language", "language_bases"] if CONFIG.language.enabled else []
FIGURES = [f"<results>/figures/{name}.{suffix}" for name in DRAWN for suffix in ["pdf", "png"]]
if CONFIG.language.enabled:
    LANGUAGE_TABLES = ["language.csv", "language.tex", *(f"language_{n}.csv" for n in ["skills", "matched", "bases"])]
    TABLES += [f"<results>/tables/{name}" for name in LANGUAGE_TABLES]
    CHECKS += ["<results>/language/checks.parquet"]
PICTURES = [figure for figure in FIGURES if figure.endswith(".png")]
SHEETS = [table for table in TABLES if table.endswith(".csv") and table != "<results>/claims.csv"]
MADE = {*TABLES, *FIGURES}  # a line that is switched off has no figures; main.tex leaves out what is not there
INCLUDED = [path for name in parts(Path(workflow.basedir, "paper/main.tex")) if (path := f"<results>/{name}") in MADE]
TYPESET = CONFIG.paper.engine != "none" and engine() is not None
PAPER = ["<results>/numbers.tex", *(["<results>/paper.pdf"] if TYPESET else [])]

# What takes work: nothing downstream of these trains or simulates, and it reads them as <made>/… (see published.smk).
WORK = ["points.parquet", *(f"mixture/{family}/{kind}.parquet" for family in FAMILIES for kind in ["curves", "checks"])]
WORK += [f"anchors/{kind}.parquet" for kind in ["curves", "checks", "simplex", "points"]]
WORK += [f"limits/{kind}.parquet" for kind in ["curves", "checks"]]
WORK += ["multiverse/points.parquet"]
WORK += [f"parity/{kind}.parquet" for kind in ["law_checks", "bases"]]
if CONFIG.language.enabled:
    WORK += [f"language/{name}.parquet" for name in ["points", "unready", "measures", "conditions"]]
KEPT = [f"<results>/{name}" for name in [*WORK, "claims.csv"]]


wildcard_constraints:
    method="|".join(CONFIG.methods),
    base_seed=r"\d+",
    share=r"\d+",
    base="|".join(CONFIG.language.bases()),
    family="|".join(FAMILIES),
    kept="|".join(CONFIG.anchors.images.methods),
    figure="|".join(DRAWN),


def by_attempt(amount):
    """A resource of which a job that is retried on a cluster gets more: twice the amount, then three times."""
    return lambda wildcards, attempt: amount * attempt


def declared(file):
    """A file as a rule's input: relative to where the run is, if it lies below."""
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)


def code(*paths):
    """Modules of the package that the scripts or notebooks at `paths` use: their code, to be declared as input."""
    return sorted(map(declared, set().union(*(modules(Path(workflow.basedir, path)) for path in paths))))


def own_code(objective):
    """File that defines an objective; none for the built-in ones, which every training uses anyway."""
    return [] if split_name(objective)[0] == BUILT_IN else [declared(source_file(objective))]


def leaves(section, *without):
    """Values of a config section for `params:`, in a fixed order, without the named ones."""
    return section.model_dump(exclude=set(without))


def told(category, *files):
    """Files of a run with their place and caption in the report."""
    caption = f"../report/{category.lower()}.rst"
    return [report(file, caption=caption, category=category, labels={"file": Path(file).name}) for file in files]


def drawn(name):
    """What a figure's notebook reads, by the name of its parameter."""
    if name == "parity":
        fits = rules.regression.output
        return {"points": "<made>/points.parquet", "curve": fits.curve, "frontier": fits.frontier, "r2": fits.r2}
    if name == "multiverse":
        found = rules.multiverse
        published = {"r2": found.input.r2, "matched": found.input.matched}
        return {"universes": found.output.universes, "choices": found.output.choices, **published}
    if name == "anchors":
        return {"curves": "<made>/anchors/curves.parquet"}
    if name == "limits":
        return {"curves": "<made>/limits/curves.parquet"}
    if name == "retention":
        made = {"points": "<made>/anchors/points.parquet", "law": "<made>/points.parquet"}
        return {**made, "curve": rules.regression.output.curve}
    if name == "simplex":
        return {"simplex": "<made>/anchors/simplex.parquet"}
    if name == "language":
        found = rules.language.output
        return {"points": "<made>/language/points.parquet", "curve": found.curve, "law": found.law}
    if name == "language_bases":
        return {kind: f"<made>/language/{kind}.parquet" for kind in ["points", "unready"]}
    families = MIXTURE_FIGURES[name]
    names = families if len(families) > 1 else ["curves"]
    return dict(zip(names, expand("<made>/mixture/{family}/curves.parquet", family=families)))

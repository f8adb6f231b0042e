"""A paper that rebuilds itself: raw images in; points, regressions, claims, figures and a PDF out.

    snakemake --cores all [--configfile config/smoke.yaml | config/paper.yaml]

Named targets: all, tables, figures, report, crate, publish, verify.
"""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


# Read only with `--sdm apptainer`: an image of your site's that holds the locked environment, which `make` builds.
container: "docker://python:3.11"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/parity.smk"
include: "workflow/rules/regression.smk"
include: "workflow/rules/law.smk"
include: "workflow/rules/multiverse.smk"
include: "workflow/rules/mixture.smk"
include: "workflow/rules/anchors.smk"
include: "workflow/rules/language.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/notebooks.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/published.smk"
include: "workflow/rules/report.smk"


rule all:
    """Everything."""
    default_target: True
    input:
        TABLES,
        FIGURES,
        PAPER,


rule tables:
    """Every table, as .csv and .tex."""
    input:
        TABLES,


rule figures:
    """Every figure, as .pdf and .png."""
    input:
        FIGURES,


onsuccess:
    provenance.keep(CONFIG, Path(RESULTS))
    headline(Path(RESULTS), typeset=TYPESET or CONFIG.paper.engine == "none")

"""A paper that rebuilds itself: raw images in; points, regressions, tables and figures out.

    snakemake --cores all                                   # the default preset
    snakemake --cores all --configfile config/smoke.yaml    # in a minute or two
    snakemake --cores all --configfile config/paper.yaml    # the published scale

Named targets: all, tables, figures.
"""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


pathvars:
    results=f"results/{config['preset']}",
    logs=f"results/{config['preset']}/logs",
    benchmarks=f"results/{config['preset']}/benchmarks",


# The software is the locked environment that `make` builds, in which Snakemake itself runs. This image is read only
# with `--sdm apptainer`: put one of your site's here that holds that environment.
container: "docker://python:3.11"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/parity.smk"
include: "workflow/rules/regression.smk"
include: "workflow/rules/mixture.smk"
include: "workflow/rules/anchors.smk"
include: "workflow/rules/notebooks.smk"


rule all:
    """Everything."""
    default_target: True
    input:
        tables=TABLES,
        figures=FIGURES,


rule tables:
    """Every table, as .csv and .tex."""
    input:
        TABLES,


rule figures:
    """Every figure, as .pdf and .png."""
    input:
        FIGURES,


onsuccess:
    headline(Path("results", CONFIG.preset))

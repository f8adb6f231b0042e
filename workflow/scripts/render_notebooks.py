"""Executed notebooks → pages of the report."""

from forgetting.jobs import logged
from forgetting.pages import page
from forgetting.whole import write_text

with logged(snakemake.log[0]):
    for notebook, target in zip(snakemake.params.notebooks, snakemake.output, strict=True):
        write_text(page(notebook), target)

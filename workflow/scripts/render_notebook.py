"""Executed notebook → page of the report."""

from forgetting.jobs import logged
from forgetting.pages import page
from forgetting.whole import write_text

with logged(snakemake.log[0]):
    write_text(page(snakemake.params.notebook), snakemake.output[0])

"""main.tex, numbers, tables and figures → paper.pdf."""

from forgetting.jobs import logged
from forgetting.typesetting import typeset

with logged(snakemake.log[0]):
    typeset([*snakemake.input.sources, snakemake.input.numbers], snakemake.input.included, snakemake.output[0])

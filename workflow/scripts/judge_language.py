"""Points of the language line → its law, forgetting by skill, RL against SFT, checks of its claims."""

import pandas as pd

from forgetting import seeds
from forgetting.jobs import logged
from forgetting.language.summary import checks, compared, law_cells, law_table, marking, skill_table
from forgetting.regression import fitted_curve
from forgetting.tables import write, write_latex
from forgetting.whole import write_parquet

with logged(snakemake.log[0]):
    names = ("ready", "unready", "measures", "conditions")
    ready, unready, measures, conditions = (pd.read_parquet(snakemake.input[name]) for name in names)
    kinds = {kind: points for kind, points in (("ready", ready), ("unready", unready)) if len(points)}
    measured = measures[measures["base"].str.startswith("ready")]
    law = law_table(ready, measured, seeds.numpy_generator("language", "law"), snakemake.params.resamples)
    marked = marking(conditions)
    write(law.assign(model=marked), snakemake.output.law)
    write_latex(law_cells(law, marked), snakemake.output.tex, column_format="lcccc")
    write(skill_table(measures, conditions), snakemake.output.skills)
    write(compared(kinds), snakemake.output.matched)
    write(conditions, snakemake.output.bases)
    write_parquet(fitted_curve(ready, "forward_kl_new"), snakemake.output.curve)
    write_parquet(checks(law, kinds, snakemake.params.model), snakemake.output.checks)
    print(f"{marked}\n{law.query('points == ' + repr('all')).to_string()}\n{compared(kinds).to_string()}")

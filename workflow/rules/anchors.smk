"""Anchors, the exact part: which way a KL anchor points, and anchors against replay, on a handful of answers.

In:  nothing but the config: a seed
Out: <results>/anchors/curves.parquet       computed, predicted and simulated curves, for the figure
     <results>/anchors/checks.parquet       predicted or published against measured, one row a number
     <results>/anchors/simplex.parquet      ways to a new task on the three-answer simplex, both KLs from the base
"""


rule anchors:
    """Set closed forms beside descent and simulation; draw the ways from one base to a new task."""
    input:
        code=code("workflow/scripts/anchors.py"),
    output:
        curves="<results>/anchors/curves.parquet",
        checks="<results>/anchors/checks.parquet",
        simplex="<results>/anchors/simplex.parquet",
    log:
        "<logs>/anchors.log",
    benchmark:
        "<benchmarks>/anchors.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        **leaves(CONFIG.anchors),
    script:
        "../scripts/anchors.py"

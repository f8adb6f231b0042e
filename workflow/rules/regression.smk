"""Points → R2 of every predictor → tables.

In:  <made>/points.parquet; published values and the coverage study (src/forgetting/published)
Out: <results>/tables/r2.csv                    predictor, inputs, points, r2, low, high, n, …
     <results>/regression/curve.parquet         the fitted quadratic of forgetting on forward KL
     <results>/regression/frontier.parquet      the points on each method's and base seed's Pareto frontier
     <results>/tables/predictors.csv, .tex      R2 beside the published columns
     <results>/tables/held_out.csv, residuals.csv, differences.csv, matched.csv
     <results>/parity/checks.parquet            claims R1 to R12, R14: ours against published
"""


rule regression:
    """Fit forgetting on each predictor; R2 with intervals over base seeds and trainings."""
    input:
        points="<made>/points.parquet",
        coverage="src/forgetting/published/coverage.csv",
        code=code("workflow/scripts/regression.py"),
    output:
        r2="<results>/tables/r2.csv",
        curve="<results>/regression/curve.parquet",
        frontier="<results>/regression/frontier.parquet",
    log:
        "<logs>/regression.log",
    benchmark:
        "<benchmarks>/regression.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(2000),
        runtime=by_attempt(10),
    params:
        **leaves(CONFIG.regression),
    script:
        "../scripts/regression.py"


rule statistics:
    """Ask of the law what one R2 hides: unseen methods and seeds, residuals by method, accuracy at matched parity."""
    input:
        points="<made>/points.parquet",
        coverage="src/forgetting/published/coverage.csv",
        published="src/forgetting/published/matched.csv",
        code=code("workflow/scripts/judge_law.py"),
    output:
        held_out="<results>/tables/held_out.csv",
        residuals="<results>/tables/residuals.csv",
        differences="<results>/tables/differences.csv",
        matched="<results>/tables/matched.csv",
    log:
        "<logs>/statistics.log",
    benchmark:
        "<benchmarks>/statistics.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/judge_law.py"


rule predictors:
    """The table of predictors, beside what was published."""
    input:
        r2=rules.regression.output.r2,
        published="src/forgetting/published/r2.csv",
        code=code("workflow/scripts/predictors.py"),
    output:
        csv="<results>/tables/predictors.csv",
        tex="<results>/tables/predictors.tex",
    log:
        "<logs>/predictors.log",
    benchmark:
        "<benchmarks>/predictors.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/predictors.py"


rule parity_checks:
    """Hold R2, its differences and accuracies at matched parity against the claims R1 to R12 and R14."""
    input:
        points="<made>/points.parquet",
        r2=rules.regression.output.r2,
        differences=rules.statistics.output.differences,
        published="src/forgetting/published/r2.csv",
        code=code("workflow/scripts/judge_parity.py"),
    output:
        "<results>/parity/checks.parquet",
    log:
        "<logs>/parity_checks.log",
    benchmark:
        "<benchmarks>/parity_checks.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/judge_parity.py"


rule coverage_table:
    """How often the intervals of R2 cover the truth: the study that chose the one that is used."""
    input:
        study="src/forgetting/published/coverage.csv",
        code=code("workflow/scripts/tabulate_coverage.py"),
    output:
        csv="<results>/tables/coverage.csv",
        tex="<results>/tables/coverage.tex",
    log:
        "<logs>/coverage_table.log",
    benchmark:
        "<benchmarks>/coverage_table.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/tabulate_coverage.py"

"""The mixture theory: every prediction, and the simulation that must meet it (arXiv 2603.12163).

In:  nothing but the config: a seed, and the sizes of each family that differ from its defaults
Out: <results>/mixture/{family}/curves.parquet      predicted, simulated and bounding curves, for the figures
     <results>/mixture/{family}/checks.parquet      predicted against measured, one row a number
     <results>/tables/mixture.csv                   all checks
     <results>/tables/mixture_claims.csv, .tex      claims M1 to M13: ours, interval, verdict
"""

EXPERIMENTS = "src/forgetting/mixture/experiments"


rule mixture:
    """Set one family's predictions beside its simulations."""
    input:
        # the script imports the family by its name, so its file is declared by hand
        code=lambda w: [
            f"{EXPERIMENTS}/{w.family}.py",
            *code("workflow/scripts/mixture.py", f"{EXPERIMENTS}/{w.family}.py"),
        ],
    output:
        curves="<results>/mixture/{family}/curves.parquet",
        checks="<results>/mixture/{family}/checks.parquet",
    log:
        "<logs>/mixture/{family}.log",
    benchmark:
        "<benchmarks>/mixture/{family}.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        seed=CONFIG.mixture.seed,
        sizes=lambda w: CONFIG.mixture.sizes.get(w.family, {}),
    script:
        "../scripts/mixture.py"


rule mixture_claims:
    """Gather all checks and judge the claims M1 to M13."""
    input:
        checks=expand(rules.mixture.output.checks, family=FAMILIES),
        published="src/forgetting/published/claims.yaml",
        code=code("workflow/scripts/verdicts.py"),
    output:
        checks="<results>/tables/mixture.csv",
        claims="<results>/tables/mixture_claims.csv",
        tex="<results>/tables/mixture_claims.tex",
    log:
        "<logs>/mixture_claims.log",
    benchmark:
        "<benchmarks>/mixture_claims.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        line="mixture",
        claims=MIXTURE_CLAIMS,
    script:
        "../scripts/verdicts.py"

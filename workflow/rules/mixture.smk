"""The mixture theory: every prediction, and the simulation that must meet it (arXiv 2603.12163).

In:  nothing but the config: a seed, and the sizes of each family that differ from its defaults
Out: <results>/mixture/{family}/curves.parquet      predicted, simulated and bounding curves, for the figures
     <results>/mixture/{family}/checks.parquet      predicted against measured, one row a number
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
        mem_mb=by_attempt(1000),
        runtime=by_attempt(10),
    params:
        seed=CONFIG.mixture.seed,
        sizes=lambda w: CONFIG.mixture.sizes.get(w.family, {}),
    script:
        "../scripts/mixture.py"

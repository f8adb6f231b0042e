"""The mixture theory: every prediction, and the simulation that must meet it (arXiv 2603.12163).

In:  CONFIG.mixture.seed, CONFIG.mixture.sizes (family → arguments of its `run` that differ from the defaults)
Out: <results>/mixture/{family}/curves.parquet      predicted, simulated and bounding curves, for the figures
     <results>/mixture/{family}/checks.parquet      predicted against measured, one row a number
     <results>/tables/mixture.csv                   all checks
     <results>/mixture/verdicts.csv                 claims M1 to M13: ours, interval, verdict
     <results>/figures/mixture_{name}.pdf, .png     one figure a notebook
"""

from forgetting.mixture.experiments import FAMILIES

EXPERIMENTS = "src/forgetting/mixture/experiments"
MIXTURE_FIGURES = {name: [name] for name in FAMILIES} | {
    "methods": ["sdft", "ttt", "oapl"]
}
for part in MIXTURE_FIGURES["methods"]:
    del MIXTURE_FIGURES[part]


def family_code(family):
    """A family's own file, which the script imports by name, and all that both use."""
    own = f"{EXPERIMENTS}/{family}.py"
    return sorted({own, *code("workflow/scripts/mixture.py", own)})


def mixture_curves(wildcards):
    """Curves that a figure draws, by the name that its notebook gives them."""
    families = MIXTURE_FIGURES[wildcards.name]
    names = ["curves"] if len(families) == 1 else families
    files = expand(rules.mixture.output.curves, family=families)
    return dict(zip(names, files))


wildcard_constraints:
    family="|".join(FAMILIES),


rule mixture:
    """Set one family's predictions beside its simulations."""
    input:
        code=lambda w: family_code(w.family),
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
        runtime=5,
    params:
        seed=CONFIG.mixture.seed,
        sizes=lambda w: CONFIG.mixture.sizes.get(w.family, {}),
    script:
        "../scripts/mixture.py"


rule mixture_verdicts:
    """Gather all checks and judge the claims M1 to M13."""
    input:
        parts=expand(rules.mixture.output.checks, family=FAMILIES),
        code=code("workflow/scripts/mixture_verdicts.py"),
    output:
        table="<results>/tables/mixture.csv",
        verdicts="<results>/mixture/verdicts.csv",
    log:
        "<logs>/mixture/verdicts.log",
    benchmark:
        "<benchmarks>/mixture/verdicts.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    script:
        "../scripts/mixture_verdicts.py"


rule figure_mixture:
    """Draw one figure of the mixture line."""
    input:
        unpack(mixture_curves),
        notebook="workflow/notebooks/mixture_{name}.py",
        code=lambda w: code(
            "workflow/scripts/run_notebook.py",
            f"workflow/notebooks/mixture_{w.name}.py",
        ),
    output:
        pdf="<results>/figures/mixture_{name}.pdf",
        png="<results>/figures/mixture_{name}.png",
    log:
        log="<logs>/notebooks/mixture_{name}.log",
        notebook="<results>/notebooks/mixture_{name}.ipynb",
    benchmark:
        "<benchmarks>/notebooks/mixture_{name}.tsv"
    wildcard_constraints:
        name="|".join(MIXTURE_FIGURES),
    threads: 1
    resources:
        mem_mb=1500,
        runtime=10,
    script:
        "../scripts/run_notebook.py"

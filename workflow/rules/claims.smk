"""Checks of every line of evidence → the claims ledger.

In:  CHECKS, frames of forgetting.results.check; the claims as published (src/forgetting/published/claims.yaml)
Out: <results>/claims.csv                       id, line, claim, source, published, ours, low, high, n, verdict, target, …
     <results>/tables/checks.csv                every prediction beside its measurement, and whether it holds
     <results>/tables/claims_{line}.tex         the ledger of one line, for the paper
"""


rule claims:
    """Judge every claim by the ledger's rules; a line that was not run is "not tested"."""
    input:
        checks=CHECKS,
        published="src/forgetting/published/claims.yaml",
        code=code("workflow/scripts/ledger.py"),
    output:
        claims="<results>/claims.csv",
        checks="<results>/tables/checks.csv",
        tex=expand("<results>/tables/claims_{line}.tex", line=LINES),
    log:
        "<logs>/claims.log",
    benchmark:
        "<benchmarks>/claims.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        preset=CONFIG.preset,
        lines=LINES,
    script:
        "../scripts/ledger.py"

"""What a run made with work, kept in the repository: to rebuild from, and to compare a fresh run with.

In:  KEPT of a run: all that nothing downstream of trains or simulates, and the ledger
Out: results/published/…                        by `snakemake publish` alone
     a comparison on the terminal               by `snakemake verify`

Neither rule has a file that Snakemake counts as made (a benchmark would be one), so both run whenever they are asked for.

With `--config points=published`, <made> is results/published instead of <results>, and no rule trains.
"""


rule publish:
    """Keep this run in the repository."""
    input:
        files=KEPT,
        code=code("workflow/scripts/publish.py"),
    log:
        "<logs>/publish.log",
    localrule: True
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        published=PUBLISHED,
        config=CONFIG.model_dump(mode="json", exclude={"paper"}),
    script:
        "../scripts/publish.py"


rule verify:
    """Compare this run with the one that is kept; fails when something moved too far."""
    input:
        files=KEPT,
        code=code("workflow/scripts/verify.py"),
    log:
        "<logs>/verify.log",
    localrule: True
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        published=PUBLISHED,
        config=CONFIG.model_dump(mode="json", exclude={"paper"}),
    script:
        "../scripts/verify.py"

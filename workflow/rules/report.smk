"""One page to click through, and what says where the results come from.

In:  figures, tables, claims and paper of a run, its executed notebooks, CITATION.cff
Out: <results>/report/{figure}.html             the executed notebooks as pages
     <results>/report/front.rst                 front page: the headline, and what reproduced
     <results>/report.html                      all of it in one file, by Snakemake's report
     <results>/ro-crate-metadata.json           the results as an RO-Crate, by `snakemake crate`

`provenance.json`, which differs from run to run, is no rule's: every run leaves it at its end.
"""


report: str(Path.cwd() / RESULTS / "report/front.rst")


rule notebook_pages:
    """Make pages of the executed notebooks."""
    input:
        figures=PICTURES,
        code=code("workflow/scripts/render_notebooks.py"),
    output:
        expand("<results>/report/{figure}.html", figure=DRAWN),
    log:
        "<logs>/notebook_pages.log",
    benchmark:
        "<benchmarks>/notebook_pages.tsv"
    localrule: True
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        notebooks=expand(f"{RESULTS}/notebooks/{{figure}}.ipynb", figure=DRAWN),
    script:
        "../scripts/render_notebooks.py"


rule front:
    """The report's front page."""
    input:
        claims=rules.claims.output.claims,
        r2=rules.regression.output.r2,
        code=code("workflow/scripts/front_page.py"),
    output:
        "<results>/report/front.rst",
    log:
        "<logs>/front.log",
    benchmark:
        "<benchmarks>/front.tsv"
    localrule: True
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/front_page.py"


rule pages:
    """What the report holds."""
    input:
        rules.front.output,
        told("Claims", rules.claims.output.claims),
        told("Paper", *PAPER[1:]),
        told("Figures", *PICTURES),
        told("Tables", *SHEETS),
        told("Notebooks", *rules.notebook_pages.output),
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),


rule report:
    """One HTML file with all of it, by Snakemake's report on `pages`."""
    input:
        rules.pages.input,
        code=code("workflow/scripts/make_report.py"),
    output:
        "<results>/report.html",
    log:
        "<logs>/report.log",
    benchmark:
        "<benchmarks>/report.tsv"
    localrule: True
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        config=CONFIG.model_dump(mode="json"),
    script:
        "../scripts/make_report.py"


rule crate:
    """Describe the results as an RO-Crate."""
    input:
        files=[*TABLES, *FIGURES, *PAPER, *(file for file in KEPT if CONFIG.points == "run")],
        citation="CITATION.cff",
        code=code("workflow/scripts/describe.py"),
    output:
        "<results>/ro-crate-metadata.json",
    log:
        "<logs>/crate.log",
    benchmark:
        "<benchmarks>/crate.tsv"
    localrule: True
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/describe.py"

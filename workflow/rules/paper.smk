"""Tables, figures and claims → the numbers in the prose → the PDF.

In:  paper/main.tex, refs.bib, numbers.yaml; the tables and figures that main.tex includes
Out: <results>/numbers.tex      a macro for every number in the prose, beside the table, row and column it is read from
     <results>/paper.pdf        when a TeX engine is there (paper.engine in config.yaml)
"""


rule numbers:
    """Read every number of the prose from the table that holds it."""
    input:
        places="paper/numbers.yaml",
        tables=[table for table in TABLES if table.endswith(".csv")],
        claims=rules.claims.output.claims,
        code=code("workflow/scripts/read_numbers.py"),
    output:
        "<results>/numbers.tex",
    log:
        "<logs>/numbers.log",
    benchmark:
        "<benchmarks>/numbers.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        config=CONFIG.model_dump(mode="json"),
    script:
        "../scripts/read_numbers.py"


rule paper:
    """Typeset the paper with latexmk."""
    input:
        sources=["paper/main.tex", "paper/refs.bib"],
        numbers=rules.numbers.output[0],
        included=INCLUDED,
        code=code("workflow/scripts/typeset.py"),
    output:
        "<results>/paper.pdf",
    log:
        "<logs>/paper.log",
    benchmark:
        "<benchmarks>/paper.tsv"
    localrule: True
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/typeset.py"

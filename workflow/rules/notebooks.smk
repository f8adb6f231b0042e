"""Notebooks: jupytext percent files that read tables and draw; they compute nothing.

In:  workflow/notebooks/{name}.py and the tables it reads
Out: <results>/figures/{name}.pdf, .png
     <results>/notebooks/{name}.ipynb           executed; kept as far as it got when it fails (it is a log)
"""


rule figure:
    """Run one notebook: it draws one figure."""
    input:
        unpack(lambda w: drawn(w.figure)),
        notebook="workflow/notebooks/{figure}.py",
        code=lambda w: code("workflow/scripts/run_notebook.py", f"workflow/notebooks/{w.figure}.py"),
    output:
        pdf="<results>/figures/{figure}.pdf",
        png="<results>/figures/{figure}.png",
    log:
        log="<logs>/notebooks/{figure}.log",
        notebook="<results>/notebooks/{figure}.ipynb",
    benchmark:
        "<benchmarks>/notebooks/{figure}.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1500),
        runtime=by_attempt(10),
    script:
        "../scripts/run_notebook.py"

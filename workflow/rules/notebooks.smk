"""Notebooks: jupytext percent files that read tables and draw; they compute nothing.

In:  workflow/notebooks/{name}.py and the tables it reads
Out: <results>/figures/{name}.pdf, .png
     <results>/notebooks/{name}.ipynb           executed; kept as far as it got when it fails (it is a log)
"""


rule figure_parity:
    """The three panels of the parity line (arXiv 2509.04259, figure 3)."""
    input:
        notebook="workflow/notebooks/parity.py",
        points=rules.points.output[0],
        curve=rules.regression.output.curve,
        frontier=rules.regression.output.frontier,
        r2=rules.regression.output.r2,
        code=code("workflow/scripts/run_notebook.py", "workflow/notebooks/parity.py"),
    output:
        pdf="<results>/figures/parity.pdf",
        png="<results>/figures/parity.png",
    log:
        log="<logs>/notebooks/parity.log",
        notebook="<results>/notebooks/parity.ipynb",
    benchmark:
        "<benchmarks>/notebooks/parity.tsv"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=10,
    script:
        "../scripts/run_notebook.py"

"""The law again, under each choice that the paper leaves open.

In:  <results>/data.npz; published values (src/forgetting/published)
Out: <results>/multiverse/cells/{share}.parquet one job: some sets of trainings, each of one method from one base
     <results>/multiverse/points.parquet        their checkpoints
     <results>/tables/multiverse.csv            one row a universe: R², clothes kept at 96 % parity, its choices
     <results>/tables/choices.csv, .tex         one row a choice: how much it moves each
     <results>/tables/multiverse_summary.csv    what it comes to, in one row
"""

UNIVERSES = universes(CONFIG)
CELLS = all_cells(UNIVERSES)
SHARES = dict(enumerate(filter(None, shares(CELLS, CONFIG.multiverse.jobs))))


rule cells:
    """Train some cells of the multiverse, and the bases that they start from."""
    input:
        data=rules.images.output[0],
        code=code("workflow/scripts/train_cells.py"),
        objectives=sorted({path for name in taking_part(CONFIG) for path in own_code(CONFIG.methods[name].objective)}),
    output:
        "<results>/multiverse/cells/{share}.parquet",
    log:
        "<logs>/cells/{share}.log",
    benchmark:
        "<benchmarks>/cells/{share}.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(2000),
        runtime=by_attempt(60),
    params:
        cells=lambda w: SHARES[int(w.share)],
    script:
        "../scripts/train_cells.py"


rule gathered_cells:
    """Gather the points of all cells; a missing one is an error."""
    input:
        parts=expand(rules.cells.output[0], share=SHARES),
        code=code("workflow/scripts/gather_cells.py"),
    output:
        "<results>/multiverse/points.parquet",
    log:
        "<logs>/gathered_cells.log",
    benchmark:
        "<benchmarks>/gathered_cells.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        points={name: rows(cell) for name, cell in CELLS.items()},
    script:
        "../scripts/gather_cells.py"


rule multiverse:
    """Fit the law in every universe, and see what each choice does."""
    input:
        points="<made>/multiverse/points.parquet",
        r2="src/forgetting/published/r2.csv",
        matched="src/forgetting/published/matched.csv",
        code=code("workflow/scripts/judge_multiverse.py"),
    output:
        universes="<results>/tables/multiverse.csv",
        choices="<results>/tables/choices.csv",
        tex="<results>/tables/choices.tex",
        summary="<results>/tables/multiverse_summary.csv",
    log:
        "<logs>/multiverse.log",
    benchmark:
        "<benchmarks>/multiverse.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        universes=[universe.told() for universe in UNIVERSES],
    script:
        "../scripts/judge_multiverse.py"

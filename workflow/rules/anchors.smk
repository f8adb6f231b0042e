"""Anchors: which way a KL anchor points, and anchors against replay, on a handful of answers and on images.

In:  a seed for the exact part; data.npz, base policies and the parity line's points for the images
Out: <results>/anchors/curves.parquet       computed, predicted and simulated curves, for the figure
     <results>/anchors/checks.parquet       predicted or published against measured, one row a number
     <results>/tables/anchors.csv, .tex     published, exact and descended values side by side
     <results>/anchors/simplex.parquet      ways to a new task on the three-answer simplex, both KLs from the base
     <results>/anchors/trainings/{kept}.parquet     one job: a method that holds on to clothes, at every strength
     <results>/anchors/points.parquet       their checkpoints, with the parity line's columns and `strength`
     <results>/tables/kept.csv, .tex        clothes kept at equal parity, the KL there, what a method needs
     <results>/tables/out_of_sample.csv     whether the parity line's law foresaw these methods
     <results>/anchors/retention_checks.parquet     claims A11, A12
     <results>/limits/curves.parquet, checks.parquet        what own samples reach, where the quadratic ends: A9, A10
"""


rule anchors:
    """Set closed forms beside descent and simulation; draw the ways from one base to a new task."""
    input:
        code=code("workflow/scripts/anchors.py"),
    output:
        curves="<results>/anchors/curves.parquet",
        checks="<results>/anchors/checks.parquet",
        simplex="<results>/anchors/simplex.parquet",
    log:
        "<logs>/anchors.log",
    benchmark:
        "<benchmarks>/anchors.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        seed=CONFIG.anchors.seed,
    script:
        "../scripts/anchors.py"


rule exact_table:
    """Published values beside closed forms and where gradient descent ends."""
    input:
        code=code("workflow/scripts/tabulate_exact.py"),
    output:
        csv="<results>/tables/anchors.csv",
        tex="<results>/tables/anchors.tex",
    log:
        "<logs>/exact_table.log",
    benchmark:
        "<benchmarks>/exact_table.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/tabulate_exact.py"


IMAGES = CONFIG.anchors.images


rule retain:
    """Fine-tune on parity while holding on to clothes: one method at every strength, from several bases."""
    input:
        data=rules.images.output[0],
        bases=expand(rules.base.output[0], base_seed=CONFIG.base.seeds[: IMAGES.seeds]),
        code=code("workflow/scripts/retain.py"),
        objective=lambda w: own_code(IMAGES.methods[w.kept].objective),
    output:
        "<results>/anchors/trainings/{kept}.parquet",
    log:
        "<logs>/retain/{kept}.log",
    benchmark:
        "<benchmarks>/retain/{kept}.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(2000),
        runtime=by_attempt(60),
    params:
        pixels=CONFIG.data.pixels,
        digits=IMAGES.digits,
        base_seeds=CONFIG.base.seeds[: IMAGES.seeds],
        varied=lambda w: IMAGES.methods[w.kept].model_dump(),
        settings={
            "learning_rate": IMAGES.learning_rate,
            "schedule": IMAGES.schedule,
            "checkpoints": IMAGES.checkpoints,
            **CONFIG.finetuning.model_dump(include={*TRAINING, "accuracy", "diverged_above"}),
        },
    script:
        "../scripts/retain.py"


rule retained:
    """Gather the points of every method that holds on to clothes."""
    input:
        parts=expand(rules.retain.output[0], kept=IMAGES.methods),
        code=code("workflow/scripts/gather_retained.py"),
    output:
        "<results>/anchors/points.parquet",
    log:
        "<logs>/retained.log",
    benchmark:
        "<benchmarks>/retained.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/gather_retained.py"


rule retention:
    """What each method keeps at equal parity, and whether the parity line's law foresaw it."""
    input:
        points="<made>/anchors/points.parquet",
        law="<made>/points.parquet",
        code=code("workflow/scripts/judge_retention.py"),
    output:
        kept="<results>/tables/kept.csv",
        tex="<results>/tables/kept.tex",
        out_of_sample="<results>/tables/out_of_sample.csv",
        checks="<results>/anchors/retention_checks.parquet",
    log:
        "<logs>/retention.log",
    benchmark:
        "<benchmarks>/retention.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/judge_retention.py"


LIMITS = CONFIG.anchors.limits


rule limits:
    """How far own samples reach where the base gives an answer little mass; how far the Fisher quadratic holds."""
    input:
        data=rules.images.output[0],
        base=f"<results>/base/{CONFIG.base.seeds[0]}.safetensors",
        code=code("workflow/scripts/find_limits.py"),
    output:
        curves="<results>/limits/curves.parquet",
        checks="<results>/limits/checks.parquet",
    log:
        "<logs>/limits.log",
    benchmark:
        "<benchmarks>/limits.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(2000),
        runtime=by_attempt(30),
    params:
        pixels=CONFIG.data.pixels,
        digits=min(LIMITS.digits, CONFIG.data.digits),
        base_seeds=list(range(LIMITS.seeds)),
        settings={
            "seed": CONFIG.anchors.seed,
            "repeats": LIMITS.repeats,
            "batch_size": CONFIG.finetuning.batch_size,
            **CONFIG.base.model_dump(include={"images", "epochs", "learning_rate"}),
        },
    script:
        "../scripts/find_limits.py"

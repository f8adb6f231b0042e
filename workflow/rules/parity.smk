"""Images → base policies → trainings → points.

In:  <results>/data.npz
Out: <results>/base/{base_seed}.safetensors
     <results>/trainings/{method}/{base_seed}.parquet   one job: every training of a method from one base policy
     <results>/checkpoints/{method}/{base_seed}/        weights, when finetuning.keep_checkpoints asks for them
     <results>/points.parquet                           one row a checkpoint
"""

KEEP = CONFIG.finetuning.keep_checkpoints != "none"


rule base:
    """Train a base policy on both tasks."""
    input:
        data=rules.images.output[0],
        code=code("workflow/scripts/base.py"),
    output:
        "<results>/base/{base_seed}.safetensors",
    log:
        "<logs>/base/{base_seed}.log",
    benchmark:
        "<benchmarks>/base/{base_seed}.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1500),
        runtime=by_attempt(10),
    params:
        pixels=CONFIG.data.pixels,
        settings=leaves(CONFIG.base, "seeds"),
    script:
        "../scripts/base.py"


rule finetune:
    """Fine-tune the base on the new task: all learning rates, schedules and epochs; measure at each checkpoint."""
    input:
        data=rules.images.output[0],
        base=rules.base.output[0],
        code=code("workflow/scripts/finetune.py"),
        objective=lambda w: own_code(CONFIG.methods[w.method].objective),
    output:
        points="<results>/trainings/{method}/{base_seed}.parquet",
        checkpoints=(directory("<results>/checkpoints/{method}/{base_seed}") if KEEP else []),
    log:
        "<logs>/finetune/{method}/{base_seed}.log",
    benchmark:
        "<benchmarks>/finetune/{method}/{base_seed}.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(2000),
        runtime=by_attempt(60),
    params:
        objective=lambda w: CONFIG.methods[w.method].objective,
        options=lambda w: CONFIG.methods[w.method].options,
        inner=lambda w: CONFIG.methods[w.method].inner,
        pixels=CONFIG.data.pixels,
        rates=CONFIG.finetuning.learning_rates.values(),
        accuracy=CONFIG.finetuning.accuracy,
        settings=leaves(CONFIG.finetuning, "learning_rates", "accuracy"),
    script:
        "../scripts/finetune.py"


rule points:
    """Gather every training's checkpoints into one table; a missing one is an error."""
    input:
        parts=expand(
            rules.finetune.output.points,
            method=CONFIG.methods,
            base_seed=CONFIG.base.seeds,
        ),
        code=code("workflow/scripts/points.py"),
    output:
        "<results>/points.parquet",
    log:
        "<logs>/points.log",
    benchmark:
        "<benchmarks>/points.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        trainings=CONFIG.trainings(),
        checkpoints=CONFIG.finetuning.checkpoints,
    script:
        "../scripts/points.py"

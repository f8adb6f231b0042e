"""Why the law holds, where it does: distillation from an RL teacher, single steps, the bases.

In:  <results>/data.npz, <results>/base/{base_seed}.safetensors, GRPO's trainings, <results>/points.parquet
Out: <results>/distillation/{base_seed}.parquet   a GRPO teacher's end, and checkpoints of SFT on its answers
     <results>/alignment/{base_seed}.parquet      steps of one training a method: KL growth, cosine to the old gradient
     <results>/parity/law_checks.parquet          claims R13 and R15: ours against published
     <results>/parity/bases.parquet, tables/bases.csv   each base's entropy over the right digits, and GRPO's place at 96 %
"""

TRAINING = ["batch_size", "warmup", "weight_decay", "optimizer", "draws"]
TAUGHT = CONFIG.base.seeds if "grpo" in CONFIG.methods else []  # without GRPO there is no teacher


rule distil:
    """Train the base on the answers of a GRPO teacher, at the grid's learning rates from about its own up."""
    input:
        data=rules.images.output[0],
        base=rules.base.output[0],
        points="<results>/trainings/grpo/{base_seed}.parquet",
        code=code("workflow/scripts/distil_teacher.py"),
        objective=lambda w: own_code(CONFIG.methods["grpo"].objective),
    output:
        "<results>/distillation/{base_seed}.parquet",
    log:
        "<logs>/distil/{base_seed}.log",
    benchmark:
        "<benchmarks>/distil/{base_seed}.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(2000),
        runtime=by_attempt(60),
    params:
        objective=lambda w: CONFIG.methods["grpo"].objective,
        options=lambda w: CONFIG.methods["grpo"].options,
        inner=lambda w: CONFIG.methods["grpo"].inner,
        pixels=CONFIG.data.pixels,
        rates=CONFIG.finetuning.learning_rates.values(),
        settings={
            name: leaves(CONFIG.finetuning)[name] for name in [*TRAINING, "checkpoints", "accuracy", "diverged_above"]
        },
    script:
        "../scripts/distil_teacher.py"


rule align:
    """Follow single steps of a short training of each method, at the second largest learning rate of the grid."""
    input:
        data=rules.images.output[0],
        base=rules.base.output[0],
        code=code("workflow/scripts/align_steps.py"),
        objectives=[path for method in CONFIG.methods.values() for path in own_code(method.objective)],
    output:
        "<results>/alignment/{base_seed}.parquet",
    log:
        "<logs>/align/{base_seed}.log",
    benchmark:
        "<benchmarks>/align/{base_seed}.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(2000),
        runtime=by_attempt(10),
    params:
        methods=[(name, method.objective, method.options, method.inner) for name, method in CONFIG.methods.items()],
        pixels=CONFIG.data.pixels,
        settings={
            "learning_rate": CONFIG.finetuning.learning_rates.values()[-2:][0],
            "schedule": CONFIG.finetuning.schedules[0],
            **{name: leaves(CONFIG.finetuning)[name] for name in TRAINING},
        },
    script:
        "../scripts/align_steps.py"


rule mechanism:
    """Hold distillation and single steps against the claims R13 and R15; describe the bases."""
    input:
        data=rules.images.output[0],
        bases=expand(rules.base.output[0], base_seed=CONFIG.base.seeds),
        points=rules.points.output[0],
        students=expand(rules.distil.output[0], base_seed=TAUGHT),
        steps=expand(rules.align.output[0], base_seed=CONFIG.base.seeds),
        code=code("workflow/scripts/judge_mechanism.py"),
    output:
        checks="<results>/parity/law_checks.parquet",
        bases="<results>/parity/bases.parquet",
    log:
        "<logs>/mechanism.log",
    benchmark:
        "<benchmarks>/mechanism.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1500),
        runtime=by_attempt(5),
    params:
        pixels=CONFIG.data.pixels,
        seeds=CONFIG.base.seeds,
    script:
        "../scripts/judge_mechanism.py"


rule bases:
    """The table of bases."""
    input:
        frame="<made>/parity/bases.parquet",
        code=code("workflow/scripts/tabulate.py"),
    output:
        "<results>/tables/bases.csv",
    log:
        "<logs>/bases.log",
    benchmark:
        "<benchmarks>/bases.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    script:
        "../scripts/tabulate.py"

"""The law on a language model: bases → trainings by trl → points → its law, tables, checks.

In:  nothing but the config, or a model by its name and the new task in a file
Out: <results>/language/base/{base}/                 model and tokenizer; ready-<seed> and unready-<seed>
     <results>/language/conditions/{base}.parquet    whether the base is one to fine-tune
     <results>/language/trainings/{base}.parquet     one job: every training of every method from one base
     <results>/language/points.parquet, unready.parquet, measures.parquet, conditions.parquet   gathered
     <results>/language/checks.parquet               claim L1 (scratch model) or L2 (another): ours against published
     <results>/tables/language*.csv, language.tex    R2, forgetting by skill, RL against SFT, the bases
"""

LANGUAGE = CONFIG.language
TASKS = leaves(LANGUAGE, *(set(type(LANGUAGE).model_fields) - {"data", "benchmarks", "benchmark_limit"}))
TASKS |= {name: leaves(LANGUAGE.finetuning)[name] for name in ["old_questions", "answer_tokens"]}
LARGE = LANGUAGE.model != "scratch"
GPU = {"gpu": 1} if LARGE else {}


rule language_base:
    """Make one base: teach a small model, the rule of the new task too if it is to be ready, or fetch a large one."""
    input:
        data=LANGUAGE.data or [],
        code=code("workflow/scripts/language_base.py"),
    output:
        folder=directory("<results>/language/base/{base}"),
        conditions="<results>/language/conditions/{base}.parquet",
    log:
        "<logs>/language/base/{base}.log",
    benchmark:
        "<benchmarks>/language/base/{base}.tsv"
    threads: 1
    resources:
        **GPU,
        mem_mb=by_attempt(64000 if LARGE else 2000),
        runtime=by_attempt(240 if LARGE else 20),
    params:
        model=LANGUAGE.model,
        pretraining=lambda w: leaves(LANGUAGE.pretraining) | ({"known": 0.0} if w.base.startswith("un") else {}),
        tasks=TASKS,
    script:
        "../scripts/language_base.py"


rule language_finetune:
    """Fine-tune the base by every method at every learning rate; measure at each checkpoint."""
    input:
        folder=rules.language_base.output.folder,
        data=LANGUAGE.data or [],
        code=code("workflow/scripts/language_finetune.py"),
    output:
        points="<results>/language/trainings/{base}.parquet",
        measures="<results>/language/measures/{base}.parquet",
    log:
        "<logs>/language/finetune/{base}.log",
    benchmark:
        "<benchmarks>/language/finetune/{base}.tsv"
    threads: 1
    resources:
        **GPU,
        mem_mb=by_attempt(128000 if LARGE else 2500),
        runtime=by_attempt(20000 if LARGE else 60),
    params:
        methods=LANGUAGE.trained(),
        rates=lambda w: LANGUAGE.rates(w.base),
        tasks=TASKS,
        settings=leaves(
            LANGUAGE.finetuning, "learning_rates", "unready_learning_rates", "old_questions", "answer_tokens"
        ),
    script:
        "../scripts/language_finetune.py"


rule language_points:
    """Gather every training's checkpoints; a missing one is an error."""
    input:
        points=expand(rules.language_finetune.output.points, base=LANGUAGE.bases()),
        measures=expand(rules.language_finetune.output.measures, base=LANGUAGE.bases()),
        conditions=expand(rules.language_base.output.conditions, base=LANGUAGE.bases()),
        code=code("workflow/scripts/language_points.py"),
    output:
        ready="<results>/language/points.parquet",
        unready="<results>/language/unready.parquet",
        measures="<results>/language/measures.parquet",
        conditions="<results>/language/conditions.parquet",
    log:
        "<logs>/language/points.log",
    benchmark:
        "<benchmarks>/language/points.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        trainings={kind: LANGUAGE.trainings(kind) for kind in ["ready", "unready"]},
        checkpoints=LANGUAGE.finetuning.checkpoints,
    script:
        "../scripts/language_points.py"


rule language:
    """Fit the law, compare RL with SFT on ready and unready bases, hold both against what was published."""
    input:
        ready="<made>/language/points.parquet",
        unready="<made>/language/unready.parquet",
        measures="<made>/language/measures.parquet",
        conditions="<made>/language/conditions.parquet",
        coverage="src/forgetting/published/coverage.csv",
        code=code("workflow/scripts/judge_language.py"),
    output:
        law="<results>/tables/language.csv",
        tex="<results>/tables/language.tex",
        skills="<results>/tables/language_skills.csv",
        matched="<results>/tables/language_matched.csv",
        bases="<results>/tables/language_bases.csv",
        curve="<results>/language/curve.parquet",
        checks="<results>/language/checks.parquet",
    log:
        "<logs>/language/law.log",
    benchmark:
        "<benchmarks>/language/law.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(5),
    params:
        model=LANGUAGE.model,
        resamples=CONFIG.regression.resamples,
    script:
        "../scripts/judge_language.py"

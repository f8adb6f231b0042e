"""Raw images → one file a preset.

In:  the shipped IDX files, a folder of the user's, or the public mirrors (config: data)
Out: <results>/data.npz
"""


localrules:
    images,  # a compute node of a cluster may have no network


rule images:
    """Verify the raw images and keep those that the preset uses."""
    input:
        code=code("workflow/scripts/images.py"),
    output:
        "<results>/data.npz",
    log:
        "<logs>/images.log",
    benchmark:
        "<benchmarks>/images.tsv"
    threads: 1
    resources:
        mem_mb=by_attempt(1000),
        runtime=by_attempt(10),
    params:
        settings=leaves(CONFIG.data, "pixels"),
    script:
        "../scripts/images.py"

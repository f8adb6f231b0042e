# A job too long, one too big, one that fails and one that is patient, with the project's own helpers and profile.
configfile: "config.yaml"
pathvars: results="results/default", logs="results/default/logs", benchmarks="results/default/benchmarks"
include: "workflow/rules/common.smk"


rule ends:
    input: "too_long", "too_big"


rule too_long:
    output: "too_long"
    resources: mem_mb=by_attempt(500), runtime=by_attempt(1)
    shell: "[ {resources.runtime} -gt 1 ] || sleep 600; echo {resources.runtime} > {output}"


rule too_big:
    output: "too_big"
    resources: mem_mb=by_attempt(700), runtime=by_attempt(10)
    shell: "python3 -c 'import time; x = bytes(800 << 20); x = bytearray(x); time.sleep(15)'; echo {resources.mem_mb} > {output}"


rule fails:
    output: "fails"
    log: "fails.log"
    resources: mem_mb=by_attempt(500), runtime=by_attempt(1)
    shell: "echo once >> tries; echo 'what went wrong' > {log}; exit 3"


rule patient:
    output: "patient"
    resources: mem_mb=by_attempt(500), runtime=by_attempt(10)
    shell: "echo once >> patient_tries; sleep 25; echo done > {output}"

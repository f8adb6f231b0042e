# make paper   everything: environment, then every figure and table        make test      the test suite
# make smoke   the same in little, for the impatient                       make test-all  and what is slow in it
# make report  one HTML file to click through
# make clean   remove what runs left
# make publish keep the default run's points in results/published   make verify   compare a fresh run with them
# Another interpreter: make paper PYTHON=python3.12        More for Snakemake: make paper ARGS="--configfile config/paper.yaml"

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin

.PHONY: paper smoke report publish verify test test-all bench lint format schema lock clean clean-all FORCE

# One run a folder, after clearing away what a killed one left (src/forgetting/run.py); else plain Snakemake.
paper: .venv/installed
	$(BIN)/python -m forgetting.run --cores all $(ARGS)

smoke: .venv/installed
	$(BIN)/python -m forgetting.run --cores all --configfile config/smoke.yaml $(ARGS)

report: .venv/installed
	$(BIN)/snakemake report --cores all $(ARGS)

publish: .venv/installed
	$(BIN)/snakemake publish --cores all $(ARGS)

verify: .venv/installed
	$(BIN)/snakemake verify --cores all $(ARGS)

# Two at a time, a file each: one of them runs the smoke preset.
test: .venv/installed
	$(BIN)/python -m pytest -m "not slow" --numprocesses 2 --dist loadfile

# What is slow: a real Slurm, faults, a second run of the smoke preset. `make test test-all` runs nothing twice.
test-all: test
	$(BIN)/python -m pytest -m slow

bench: .venv/installed
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/predictors.py

lint: .venv/installed
	$(BIN)/python -m pytest tests/contract

format: .venv/installed
	$(BIN)/ruff check --fix src workflow tests benchmarks tools
	$(BIN)/ruff format src workflow tests benchmarks tools
	$(BIN)/snakefmt Snakefile workflow

schema: .venv/installed
	$(BIN)/python -m forgetting.config > workflow/schemas/config.schema.json

# The versions of the environment as it is now become the locked ones.
lock: .venv/installed
	(echo "# Exact versions of everything that a run uses (Python 3.11 or newer). Made by: make lock"; \
	 $(BIN)/pip freeze --exclude-editable | sed 's/+cpu$$//; s/+cu[0-9]*$$//' | grep -v '^nvidia-') > requirements.lock
	$(BIN)/python tools/environment.py

clean:
	find results -mindepth 1 -maxdepth 1 ! -name published -exec rm -rf {} + 2>/dev/null || true
	rm -rf .snakemake .smoke.json .pytest_cache .mypy_cache .ruff_cache .hypothesis

clean-all: clean
	rm -rf .venv downloads

# The environment is made anew when the interpreter or the lock changes.
INTERPRETER = $(shell $(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11); print(sys.version.split()[0], sys.base_prefix)')

.venv/interpreter: FORCE
	@test -n "$(INTERPRETER)" || { echo "$(PYTHON) is not Python 3.11 or newer: name one with make PYTHON=..."; exit 1; }
	@if [ "$$(cat $@ 2>/dev/null)" != "$(INTERPRETER)" ]; then \
		$(PYTHON) -m venv --clear .venv && echo "$(INTERPRETER)" > $@; fi

.venv/installed: .venv/interpreter requirements.lock pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

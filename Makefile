# Logbuch. `make up` and `make test` need only python3.11 (or newer) and make.

UV_VERSION := 0.13.9
DATA ?=
PORT ?= 8080
SEED ?= 7
PURE := tests/domain tests/contracts tests/world tests/sim tests/tidy

BIN := .venv/bin
# The first Python that is new enough; looked for only when the environment is made.
PYTHON = $(or $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; \
	done),$(error Logbuch needs Python 3.11 or newer: install python3.11))

.DEFAULT_GOAL := help
.PHONY: help setup up test fmt lint type unit sim record clean

help: ## Print this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

setup: .venv/.synced ## Make the environment .venv with everything that is needed

.venv/.synced: pyproject.toml uv.lock
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	@$(BIN)/uv --version 2>/dev/null | grep -qF "uv $(UV_VERSION)" \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@$(BIN)/uv sync --frozen --quiet
	@touch $@

up: setup ## Start everything; Ctrl-C stops it, state survives (PORT=8080 DATA=directory)
	@exec $(BIN)/logbuch up --port $(PORT) $(if $(DATA),--data "$(DATA)")

test: lint type unit ## Everything that must be green: lint, types, tests

lint: setup ## Style, format and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

type: setup ## Types, strictly
	$(BIN)/mypy

unit: setup ## The tests alone: what needs no server on all cores, the rest in turn
	$(BIN)/pytest -q -n auto $(PURE)
	$(BIN)/pytest $(PURE:%=--ignore=%)

fmt: setup ## Format the sources and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

sim: setup ## Whole-system simulation from one seed (SEED=7)
	SIM_SEED=$(SEED) $(BIN)/pytest tests/sim -x

record: setup ## Check every record of a game
	$(BIN)/logbuch record check tests/records/*/*.toml

clean: ## Remove the environment and all caches, never data
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

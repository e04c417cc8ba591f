# `make build` and `make test` set up what they need; nothing but Python 3.11 or later and make has to be there.

PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/pytest

.DEFAULT_GOAL := help
.PHONY: help setup build check test soak bench site serve format constraints clean

help: ## Say what can be made.
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed; say which with: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "Python's venv module is needed; on Debian: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev --editable '.[cli,client,conform,remote,spec,sql]'
	@touch $@

setup: .venv/installed ## Set up .venv with everything that the other targets need.

build: setup ## Regenerate every generated file from spec/.
	$(BIN)/acpspec build

check: setup ## Say whether the generated files are up to date and the code is clean.
	$(BIN)/acpspec check
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/pyright

test: check ## Run the checks and the tests, long ones sampled.
	$(PYTEST) -m 'not soak' -n auto --maxprocesses 4 --dist loadgroup --no-loadscope-reorder

soak: setup ## Run the long tests whole.
	$(PYTEST) -m soak

bench: setup ## Measure what has a limit, each beside its limit.
	$(BIN)/python -m tests.bench

site: setup ## Build the documentation site into site/public; needs Node.
	$(BIN)/acpspec site

serve: setup ## Serve the site on http://127.0.0.1:8000, and follow changes of the registry.
	$(BIN)/acpspec site --serve

format: setup ## Format the code.
	$(BIN)/ruff check --quiet --fix
	$(BIN)/ruff format --quiet

constraints: ## Take the newest versions of everything that .venv holds.
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --group dev --editable '.[cli,client,conform,remote,spec,sql]'
	{ echo '# What .venv is made of; `make constraints` renews it.'; $(BIN)/python -m pip freeze --exclude-editable; } > constraints.txt
	@touch constraints.txt .venv/installed

clean: ## Remove .venv and what tests leave behind.
	rm -rf .venv .cache build dist site/public site/.cache site/node_modules site/docs/assets site/docs/schema .hypothesis .pytest_cache .ruff_cache

# Every target sets up what it needs in .venv, from pinned and hashed requirements, and is quick when nothing changed.

PYTHON ?= $(firstword $(foreach p,python3.13 python3.12 python3.11 python3,$(if $(shell $(p) -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),$(p))))
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check
DEMO_ARGS ?=
TEST_ARGS ?=
BENCH_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench docs pins clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

demo: $(STAMPS)/run ## Show Wayword at work on the built-in corpus (DEMO_ARGS="--no-serve")
	@$(BIN)/wayword demo $(DEMO_ARGS)

test: $(STAMPS)/test $(STAMPS)/components ## Run every test (TEST_ARGS="-k cooccurrence")
	@$(BIN)/python -m pytest -n 2 --dist loadgroup $(TEST_ARGS)

lint: $(STAMPS)/lint ## Check format, style, types and layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/pyright

format: $(STAMPS)/lint ## Put the code in shape
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

bench: $(STAMPS)/bench ## Print the ratios against peers, measured side by side
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

docs: $(STAMPS)/docs ## Build the documentation into docs/_build/html
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

pins: ## Compile requirements/*.txt anew from pyproject.toml (needs uv)
	@tools/compile-pins

clean: ## Remove what the targets made
	rm -rf $(VENV) docs/_build docs/reference/generated .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Wayword needs Python 3.11 or newer; none found. Set PYTHON=/path/to/python." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Cannot make a virtual environment; on Debian: apt install python3-venv" >&2; exit 1; }

# Wayword itself is installed last, without dependencies, so that only pinned packages come in.
$(STAMPS)/%: requirements/%.txt pyproject.toml | $(BIN)/python
	@echo "Installing requirements/$*.txt (once) ..."
	@$(PIP) install --quiet --require-hashes --no-deps --compile -r $<
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@mkdir -p $(@D) && touch $@

# Programs that tests need besides Python packages: a browser and a database server.
$(STAMPS)/components: tools/install-components $(STAMPS)/test
	@tools/install-components
	@touch $@

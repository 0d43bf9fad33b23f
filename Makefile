# Everything runs inside .venv, which the first command builds. Stamps remember what is in it: .demo, what `make demo`
# computes with, .docs, what the site needs, and .installed, all that developers need. uv installs where it is there.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEMO   := $(VENV)/.demo
DOCS   := $(VENV)/.docs

ifneq ($(shell command -v uv),)
CREATE  := uv venv --quiet --seed --python $(PYTHON) $(VENV)
INSTALL := uv pip install --quiet --python $(BIN)/python
else
CREATE  := $(PYTHON) -m venv $(VENV)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
endif

# Every process that starts would compile all that it imports, two seconds of it, where this is set.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check lint check-slow bench docs release-check clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	$(CREATE)

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -c constraints.txt -e '.[dev]'
	@touch $@

$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -c constraints.txt -e '.[text]'
	@touch $@

# the environment of a developer holds all that the demo needs
demo: $(if $(wildcard $(STAMP)),$(STAMP),$(DEMO))  ## compute the paper's results, check every claim, write results/report/index.html
	$(BIN)/soloc reproduce

# One thread for each test process: two cores are all that most machines share here. There are three
# for the fast tests, because those in a browser mostly wait.
test check-slow: export OMP_NUM_THREADS := 1

test: lint  ## lint, types and all tests that finish in minutes
	$(BIN)/python -m pytest -n 3 --dist loadfile

lint: $(STAMP)
	$(BIN)/ruff check src tests benchmarks examples tools
	$(BIN)/ruff format --check --quiet src tests benchmarks examples tools
	$(BIN)/mypy

check-slow: $(STAMP)  ## the long checks: thousands of draws against 30-digit arithmetic and Monte Carlo
	$(BIN)/python -m pytest -n 2 -m slow

bench: $(STAMP)  ## speed, as ratios against plain baselines in the same run; names what got slower
	$(BIN)/python benchmarks/all.py

$(DOCS): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -c constraints.txt -e '.[docs]'
	@touch $@

docs: $(DOCS)  ## the site with its gallery, offline: docs/_build/html/index.html
	$(BIN)/python -m sphinx -W --keep-going --quiet docs docs/_build/html
	@echo "open docs/_build/html/index.html"

release-check: $(STAMP)  ## wheel and sdist, installed outside the checkout and used
	$(BIN)/python tools/release_check.py

clean:  ## remove the environment and everything generated
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build dist results docs/_build docs/_made docs/gallery docs/tutorials

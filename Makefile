# Every target does all of its own set-up; nothing has to be installed by hand but Python >= 3.11.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
REPORT := build/report
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: setup report test lint fuzz bench gpu second-reader clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; found " + sys.version.split()[0] + ". Name another one: make PYTHON=python3.12")'
	@echo "setting up $(VENV) (the first time this takes a few minutes)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)

# The examples hold two deliberate mistakes, so exit status 1 ("something is refuted") is the expected one.
report: $(STAMP)
	@mkdir -p $(REPORT)
	@$(BIN)/derivations check examples --json $(REPORT)/report.json --html $(REPORT) --tex $(REPORT)/report.tex || [ $$? -eq 1 ]
	@if command -v latexmk >/dev/null 2>&1; then \
	  (cd $(REPORT) && latexmk -norc -pdf -no-shell-escape -interaction=nonstopmode -halt-on-error report.tex >latexmk.log 2>&1) \
	    && echo "$(REPORT)/report.pdf" || { echo "latexmk failed; see $(REPORT)/latexmk.log"; exit 1; }; \
	else echo "report.pdf skipped: latexmk is not installed"; fi
	@echo "$(REPORT)/index.html"

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict derivations

fuzz: $(STAMP)
	$(BIN)/python -m pytest -m fuzz -n auto

bench: $(STAMP)
	$(BIN)/python -m benchmarks

# Without a CUDA device it says so, lists what is skipped, and exits 0.
gpu: $(STAMP)
	$(BIN)/python -m benchmarks.gpu

# latex2sympy2 brings top-level packages `tests` and `gen`, pins antlr 4.7.2 and needs Python 3.12 or older: its own environment.
second-reader: build/second-reader/bin/python

build/second-reader/bin/python:
	@$(PYTHON) -m venv build/second-reader
	@build/second-reader/bin/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt latex2sympy2

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# make book: builds the book and says where to open it.  make test: runs all tests.  Both install what they need.
PYTHON ?= python3
BIN := .venv/bin
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help book test serve notebooks record benchmark browser clean

help:
	@grep -E '^# make' Makefile | cut -c3-

.venv/installed: requirements.txt
	@$(PYTHON) -c 'import sys; (3, 11) <= sys.version_info < (3, 14) or sys.exit(f"Python 3.11, 3.12 or 3.13 is needed, not {sys.version.split()[0]}: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

# make notebooks: writes every chapters/NAME.ipynb from chapters/NAME.py.
notebooks: .venv/installed
	$(BIN)/python chapters/_ext/pair.py

book: .venv/installed
	$(BIN)/python chapters/_ext/pair.py --check
	rm -rf _build/html _build/.doctrees
	$(BIN)/jupyter-book build . -W -n --keep-going --all
	@echo; echo "The book is built: open file://$(CURDIR)/_build/html/index.html"

test: .venv/installed browser
	$(BIN)/python -m pytest --nbmake chapters tests

# The tests look at the built pages in Chromium; without one at hand, playwright fetches its own.
browser: .venv/installed
	@$(BIN)/python -m lib.book.browser

# make serve: builds the book and serves it at http://localhost:8000.
serve: book
	$(BIN)/python -m http.server 8000 --bind localhost --directory _build/html

# make record: runs the chapters and records the claims they make.
record: notebooks
	$(BIN)/python -m lib.book.claims

# make benchmark: the speed figures, as ratios measured in one run.
benchmark: .venv/installed
	$(BIN)/python -m pytest tests/benchmarks/*.py --benchmark-only -s -o python_functions=bench_*

# make clean: removes what was built (not .venv).
clean:
	rm -rf _build

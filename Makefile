# make: lists these commands. Each installs what it needs into .venv, from the locks in requirements/.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# What a lock holds is installed by uv: in seconds, where pip needs minutes.
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-emit-package torch --custom-compile-command "make lock"
# The tests are shared by one process more than there are cores, four at most; SHARED= runs them in one.
SHARED := --numprocesses auto --maxprocesses 4 --dist worksteal
export OMP_NUM_THREADS ?= 1
# Python keeps what it compiles, whatever the environment says: each of many processes starts a second sooner.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help book serve notebooks numbers address record test quick browser lint format lock clean

help:
	@grep -E '^# make' Makefile | cut -c3-

.venv/bin/python:
	@$(PYTHON) -c 'import sys; (3, 11) <= sys.version_info < (3, 14) or sys.exit(f"Python 3.11, 3.12 or 3.13 is needed, not {sys.version.split()[0]}: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv

.venv/bin/uv: requirements/uv.lock | .venv/bin/python
	$(PIP) --require-hashes -r $<
	@touch $@

# A lock that is installed leaves a copy of itself in .venv. Torch's needs are in the book's lock, torch is not:
# so it comes second, and finds them there. The .pth lets a script in any folder import `lib`.
.venv/book.lock: requirements/book.lock requirements.txt | .venv/bin/uv
	$(INSTALL) -r $<
	$(PIP) $$(grep '^torch==' requirements.txt)
	@echo "$(CURDIR)" > $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/book.pth
	@cp $< $@

.venv/test.lock .venv/lint.lock: .venv/%.lock: requirements/%.lock .venv/book.lock
	$(INSTALL) -r $<
	@cp $< $@

# make book: builds the book and says where to open it.
book: .venv/book.lock
	rm -rf _build/html _build/.doctrees
	$(BIN)/jupyter-book build . -W -n --keep-going --all
	@echo; echo "The book is built: open file://$(CURDIR)/_build/html/index.html"

# make serve: builds the book and serves it at http://localhost:8000.
serve: book
	$(BIN)/python -m http.server 8000 --bind localhost --directory _build/html

# make notebooks: writes every chapters/NAME.ipynb from chapters/NAME.py.
notebooks: .venv/book.lock
	$(BIN)/python chapters/_ext/pair.py

# make numbers: builds the book, and takes what its sentences say of numbers over into the notebooks.
numbers: book
	$(BIN)/python chapters/_ext/pair.py --numbers

# make address URL=https://github.com/OWNER/NAME: says where a fork of the book lives.
address: .venv/book.lock
	$(BIN)/python chapters/_ext/pair.py --address $(URL)

# make record: runs the chapters and records the claims they make.
record: notebooks
	$(BIN)/python -m record

# make test: runs every test, and every chapter: in the build of the book, and those that changed once more.
test: .venv/test.lock browser
	$(BIN)/python -m pytest $(SHARED) --nbmake chapters tests

# make quick: runs the tests that need no browser, no built book and little time.
quick: .venv/test.lock
	$(BIN)/python -m pytest $(SHARED) -m "not browser and not book and not slow" tests

# The tests look at the built pages in Chromium; without one at hand, playwright fetches its own.
browser: .venv/test.lock
	@$(BIN)/python -m tests.browser

# make lint: looks at the style and the types of the code (types need all that lib imports), and changes nothing.
lint: .venv/lint.lock .venv/test.lock
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/oxfmt --check 'chapters/_static/*.*js'
	$(BIN)/basedpyright --project pyproject.toml --pythonpath $(BIN)/python

# make format: mends what of that can be mended by a program.
format: .venv/lint.lock
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/oxfmt 'chapters/_static/*.*js'

# make lock: writes the locks in requirements/ from the lists of what is needed.
lock: .venv/bin/uv
	$(LOCK) requirements.txt -o requirements/book.lock
	for list in uv test lint; do \
		$(LOCK) requirements/$$list.txt -c requirements/book.lock -o requirements/$$list.lock || exit 1; \
	done

# make clean: removes what was built (not .venv).
clean:
	rm -rf _build

# Two commands do everything: `make demo` and `make test`. Neither needs a step before it.
ifndef PY
PY := $(shell for name in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v $$name && break; done)
endif
SHELL = /bin/sh
UV = .tool/bin/uv
BIN = .venv/bin
export UV_PYTHON_DOWNLOADS = never
# Hundreds of short processes start in the tests: none compiles again what another one did.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE

# A user without a home of their own keeps the cache here.
ifneq ($(shell test -d "$$HOME" && test -w "$$HOME" && echo writable),writable)
export UV_CACHE_DIR = $(CURDIR)/.tool/cache
export PIP_NO_CACHE_DIR = 1
endif

.PHONY: help demo test unit lint types contracts gates ci docs readme lock torture bench clean
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help:
	@echo "make demo      set up, then run the whole line on the sandbox and open the pages (no key)"
	@echo "make test      set up, then run the tests, quality gates included"
	@echo "make unit      the pure floors only, under a minute"
	@echo "make ci        what CI runs: lint, types, import contracts, tests"
	@echo "make gates     the quality gates and the house rules alone"
	@echo "make docs      write the generated pages of docs/ again"
	@echo "make readme    put a fresh demo and its picture into the README"
	@echo "make torture   kill -9 and resume, many times"
	@echo "make bench     speed as ratios, printed in one run"
	@echo "make lock      resolve the lock files again"

# uv lives in a small environment of its own; where Python has no ensurepip, pip's --target does.
.tool/.ready:
	@test -n "$(PY)" || { echo "no Python 3.11 or newer found: install one, or pass PY=/path/to/python3.11"; exit 2; }
	@"$(PY)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PY) is missing or older than Python 3.11: pass PY=/path/to/python3.11"; exit 2; }
	@mkdir -p .tool/bin
	@$(UV) --version >/dev/null 2>&1 \
	|| { "$(PY)" -m venv --clear .tool/env >/dev/null 2>&1 \
	     && .tool/env/bin/python -m pip install -q --disable-pip-version-check "uv>=0.9" \
	     && ln -sf ../env/bin/uv $(UV); } \
	|| { rm -rf .tool/env .tool/site \
	     && "$(PY)" -m pip install -q --disable-pip-version-check --target .tool/site "uv>=0.9" \
	     && ln -sf ../site/bin/uv $(UV); } \
	|| { command -v uv >/dev/null && ln -sf "$$(command -v uv)" $(UV); } \
	|| { echo "cannot set up uv with $(PY): it has neither venv nor pip (Debian: apt-get install python3-venv)"; exit 2; }
	@touch $@

# An environment that an interrupted set-up or a removed Python left behind is made anew.
.venv/.created: .tool/.ready
	@$(BIN)/python -c '' 2>/dev/null || $(UV) venv -q --clear --python "$(PY)" .venv
	@touch $@

# Tests wait for pages, processes and servers a quarter of their time: one more than there are cores.
JOBS = $(shell "$(PY)" -c 'import os; print(min(4, (os.cpu_count() or 1) + 1))')

# Exactly what a lock holds, then this project, built with the build tools of the larger lock. Where uv
# does not know the certificate of whoever serves the files, the system's list of certificates is tried.
SYNC = $(UV) pip sync -q --python .venv
BUILD = $(UV) pip install -q --python .venv --no-deps --build-constraints requirements-dev.lock -e .
install = { $(SYNC) $(1) && $(BUILD); } \
	|| { echo "trying again with the system's certificates"; \
	     export UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1; $(SYNC) $(1) && $(BUILD); }

# The demo needs the run-time lock only; the tests add theirs on top.
.venv/.demo: .venv/.created requirements.lock pyproject.toml
	@if test -e .venv/.test; then $(MAKE) --no-print-directory .venv/.test; else \
	$(call install,requirements.lock); fi
	@touch $@

.venv/.test: .venv/.created requirements-dev.lock pyproject.toml
	@$(call install,requirements-dev.lock)
	@touch $@ .venv/.demo

demo: .venv/.demo
	$(BIN)/monitor browser install $(BROWSER_FLAGS)
	$(BIN)/monitor demo $(DEMO_FLAGS)

test: .venv/.test
	$(BIN)/monitor browser install $(BROWSER_FLAGS)
	$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder tests

unit: .venv/.test
	$(BIN)/python -m pytest -q tests/unit tests/properties

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.test
	$(BIN)/mypy --strict monitor

contracts: .venv/.test
	$(BIN)/lint-imports

gates: .venv/.test
	$(BIN)/python -m pytest -q tests/gate tests/test_house.py tests/test_house_files.py

ci: lint types contracts test

docs: .venv/.test
	$(BIN)/python -m tools.docs

readme: .venv/.test
	$(BIN)/python -m tools.readme

torture: .venv/.test
	$(BIN)/python -m pytest -q -m torture tests

bench: .venv/.test
	$(BIN)/python -m benchmarks

COMPILE = $(UV) pip compile -q --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header --python-version 3.11

lock: .tool/.ready
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) --extra postgres -c requirements.lock pyproject.toml -o requirements-postgres.lock
	$(COMPILE) --all-extras -c requirements-postgres.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf .venv .tool build data dist

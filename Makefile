# Two commands do everything: `make demo` and `make test`. Neither needs a step before it.
PY ?= $(shell command -v python3.11 || command -v python3)
export UV_PYTHON_DOWNLOADS = never
UV = .tool/bin/uv
BIN = .venv/bin

.PHONY: demo test unit lint types contracts gates ci lock torture bench clean
.DEFAULT_GOAL := help

help:
	@echo "make demo      set up, then run the whole line on the sandbox (no key needed)"
	@echo "make test      set up, then run the tests"
	@echo "make unit      the pure floors only, under a minute"
	@echo "make ci        what CI runs: lint, types, import contracts, tests, gates"
	@echo "make torture   kill -9 and resume, many times"
	@echo "make bench     speed as ratios, printed in one run"
	@echo "make lock      resolve the lock files again"

.tool/.ready:
	test -n "$(PY)" || { echo "no python3 found: install Python 3.11 or newer, or pass PY=/path/to/python3"; exit 2; }
	$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PY) is older than Python 3.11: pass PY=/path/to/python3.11"; exit 2; }
	test -x .tool/bin/python || $(PY) -m venv .tool
	test -x $(UV) || .tool/bin/python -m pip install -q --disable-pip-version-check "uv>=0.9"
	touch $@

.venv/.created: .tool/.ready
	test -x $(BIN)/python || $(UV) venv -q --python $(PY) .venv
	touch $@

# The demo needs the run-time lock only; the tests add theirs on top.
.venv/.demo: .venv/.created requirements.lock pyproject.toml
	test -e .venv/.test || $(UV) pip sync -q --python .venv requirements.lock
	test -e .venv/.test || $(UV) pip install -q --python .venv --no-deps -e .
	touch $@

.venv/.test: .venv/.created requirements-dev.lock pyproject.toml
	$(UV) pip sync -q --python .venv requirements-dev.lock
	$(UV) pip install -q --python .venv --no-deps -e .
	touch $@ .venv/.demo

demo: .venv/.demo
	$(BIN)/monitor browser install $(BROWSER_FLAGS)
	$(BIN)/monitor demo $(DEMO_FLAGS)

test: .venv/.test
	$(BIN)/monitor browser install $(BROWSER_FLAGS)
	$(BIN)/python -m pytest -q tests

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
	$(BIN)/python -m pytest -q tests/gate tests/test_house.py

ci: lint types contracts test

torture: .venv/.test
	$(BIN)/python -m pytest -q -m torture tests/e2e

bench: .venv/.test
	$(BIN)/python -m benchmarks

lock: .tool/.ready
	$(UV) pip compile -q --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 pyproject.toml -o requirements.lock
	$(UV) pip compile -q --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 --all-extras -c requirements.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf .venv .tool build data dist

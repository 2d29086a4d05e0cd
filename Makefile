# Every target makes what it needs: .venv with uv where it is there, else with plain venv and pip.
# PYTHON picks the interpreter (3.11 or newer), ARGS is handed on: make demo ARGS="--scenario outage".

PYTHON ?= python3
ROWS ?= 1000000
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test lint bench screenshots clean
.DEFAULT_GOAL := help

help:
	@echo "make demo         the dashboard on a queue that makes its own trouble; needs nothing installed"
	@echo "make test         lint, then every test on a real PostgreSQL"
	@echo "make lint         ruff, mypy --strict, import-linter"
	@echo "make bench        what queuetop costs a server, as ratios; ROWS=1000000"
	@echo "make screenshots  every view from the demo into screenshots/"
	@echo "make clean        removes .venv and what tools left behind"

demo: $(VENV)/.demo
	@$(BIN)/queuetop demo $(ARGS)

test: lint
	$(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m tests.bench --rows $(ROWS) $(ARGS)

screenshots: $(VENV)/.dev
	$(BIN)/python -m tests.screenshots $(ARGS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find queuetop tests -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp for each set of extras, older than pyproject.toml when it must be installed again.
$(VENV)/.demo: EXTRAS := demo
$(VENV)/.dev: EXTRAS := demo,dev
$(VENV)/.dev: COVERS := $(VENV)/.demo
$(VENV)/.demo $(VENV)/.dev: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "queuetop needs Python 3.11 or newer as '$(PYTHON)'; name another: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "Installing queuetop[$(EXTRAS)] into $(VENV) …"
	@if command -v uv >/dev/null 2>&1; then \
		{ test -x $(BIN)/python || uv venv --quiet --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV); } && \
		uv pip install --quiet --python $(BIN)/python -e '.[$(EXTRAS)]'; \
	else \
		{ test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV) || { \
			echo "$(PYTHON) cannot make a venv; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }; } && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$(EXTRAS)]'; \
	fi
	@touch $@ $(COVERS)

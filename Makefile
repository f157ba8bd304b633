# Each target builds the virtual environment first when it is missing or out of date; a second call does nothing.

VENV ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || echo python3)
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
QUESTION ?= does tscl beat static?
STEPS ?= 30

export OMP_NUM_THREADS = 1

.PHONY: install study test test-all lint bench calibrate

install: $(STAMP)

$(STAMP): pyproject.toml constraints/cpu.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 11) <= v <= (3, 12) else "Python 3.11 or 3.12 is needed, found %d.%d; name one with: make PYTHON=/path/to/python3.11" % v)'
	@rm -f $(STAMP)
	@test -x $(BIN)/python && $(BIN)/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing into $(VENV) (a minute or two) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints/cpu.txt -e '.[train,mcp,dev]'
	@touch $(STAMP)

# The main job: 2 arms x 3 matched seeds of real verl GRPO on the CPU recipe, to a finished report.
study: $(STAMP)
	@$(BIN)/advisor ask "$(QUESTION)" --seeds 3 --steps $(STEPS) --yes --budget 1h

test: $(STAMP)
	@$(BIN)/python -m pytest

test-all: $(STAMP)
	@$(BIN)/python -m pytest -m 'not bench'

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(STAMP)
	@$(BIN)/python -m pytest -m bench -s tests/bench

# The inference on simulated studies whose truth is known; writes tools/statistics/CALIBRATION.md. A few minutes.
calibrate: $(STAMP)
	@$(BIN)/python -m tests.calibration.calibrate tools/statistics/CALIBRATION.md

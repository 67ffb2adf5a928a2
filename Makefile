# Every target sets itself up in .venv; only Python (3.11 or newer), git and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
BROWSER_READY := $(VENV)/.browser-ready
DOCS_READY := $(VENV)/.docs-ready
# A file of tests stays in one process: what it compiles serves all its tests. The
# longest begin first (tests/support/file_order.py); xdist would order by their number.
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder

# LLVM's passes change no bit (tests/lowering/backends/llvm/test_effort.py) and take a sixth
# of a first run of the quick suite. The compiler's own tests and the long suite have them.
SOON := POLHODE_LLVM_EFFORT=0

# Tests start many processes, and each would compile the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all test-part test-torch test-browser check attack docs format bench rows clean

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

# Chromium is Debian's, installed where it is missing and that is permitted.
$(BROWSER_READY): $(READY)
	$(BIN)/python tests/support/chromium.py
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[browser]'
	touch $@

demo: $(READY)
	$(BIN)/polhode demo

# One room alone: make test ROOM=geometry
# What each file compiles, and its processor time: make test COUNT=1
# After `make check`, in one command with it, the tests of the house do not run again.
test: $(READY)
	$(SOON) $(PYTEST) $(if $(COUNT),-p compile_count) -m "not long" \
	  $(if $(filter check,$(MAKECMDGOALS)),--ignore=tests/house) $(addprefix tests/,$(ROOM))

test-all: $(READY)
	$(PYTEST) --timeout=3600

# The K-th of N parts of the long suite, K from 0: make test-part PART=0/4
# With WITHIN=1500 what has not begun after so many seconds is skipped, and counted.
test-part: $(READY)
	$(PYTEST) --timeout=1800 -m long --part=$(PART) $(addprefix --begin-within=,$(WITHIN))

test-browser: $(BROWSER_READY)
	$(BIN)/python -m pytest tests/browser -m browser

# PyTorch is large: it is installed for these tests alone.
test-torch: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[torch]'
	$(BIN)/python -m pytest tests/lowering/test_native_torch.py tests/house/test_documentation.py

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(SOON) $(PYTEST) -m "not long" tests/house

format: $(READY)
	$(BIN)/python tests/support/stubs.py
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Kills, races, damaged files and planted code; prints tries and failures.
# Several kinds at once: make attack JOBS=16
attack: $(READY)
	$(BIN)/python -m attacks $(addprefix --only ,$(ONLY)) $(addprefix --jobs ,$(JOBS))

bench: $(BENCH_READY)
	$(BIN)/python -m benchmarks $(addprefix --only ,$(ONLY))

docs: $(DOCS_READY)
	$(BIN)/python docs/build.py

rows: $(READY)
	$(SOON) $(PYTEST) -m "not long" --rows

clean:
	rm -rf $(VENV) out build dist

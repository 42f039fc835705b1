# make demo and make test set up everything they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := CMakeLists.txt pyproject.toml $(shell find native -name '*.hpp' -o -name '*.cpp' -o -name CMakeLists.txt)
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(4, os.cpu_count() or 1))')
PIP := $(BIN)/python -m pip --disable-pip-version-check
REQUIREMENTS := $(BIN)/python .ci/requirements.py

.PHONY: demo test test-long test-browser test-wheel native-test lint format docs bench studies clean build installed
.DEFAULT_GOAL := build

# The extension is compiled (with ccache where that is present) while packages are downloaded and unpacked.
build:
	@[ -e $(VENV)/.built ] || echo "first build: packages and some sixty C++ files for several instruction sets, 3 to 6 minutes on two free cores; each file is told"
	@$(MAKE) --no-print-directory -j2 installed

installed: $(VENV)/.built $(VENV)/.packages

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "tarsus needs Python 3.11 or newer; set PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "the venv module of $(PYTHON) is missing (Debian: apt-get install python3-venv)"; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || { echo "no C++ compiler found; install g++ 12 or newer, or clang"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -q "scikit-build-core>=0.10" "cmake>=3.20" ninja "numpy>=2.0"
	@touch $@

# Modules are compiled when they are first imported, not all of them now.
$(VENV)/.packages: $(VENV)/.made pyproject.toml .ci/requirements.py
	$(REQUIREMENTS) test dev > $(VENV)/requirements.txt
	$(PIP) install --no-compile --progress-bar off -r $(VENV)/requirements.txt
	@touch $@

$(VENV)/.built: $(VENV)/.made $(SOURCES)
	MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install -v --no-build-isolation --no-deps -e .
	@touch $@

demo: build
	$(BIN)/python -m examples.demo

# The default suite, then the core tests again on the build for any x86-64 (or ARM) processor.
test: build native-test
	$(BIN)/python -m pytest -q -n $(WORKERS) tests -m "not long and not chromium"
	TARSUS_ISA=baseline $(BIN)/python -m pytest -q -n $(WORKERS) tests/dynamics tests/model -m "not long"

# UNTIL=SECONDS, since 1970: tests that have not begun by then are left out, and named.
test-long: build
	$(BIN)/python -m pytest -q -n $(WORKERS) tests -m long $(if $(UNTIL),--until $(UNTIL))

# The viewer in headless Chromium, which root gets from Debian's packages where it is missing.
test-browser: build
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } || \
	  { echo "Chromium is missing (Debian: apt-get install chromium)"; exit 1; }
	$(BIN)/python -m pytest -q tests -m chromium

# A wheel by another compiler, clang (root gets it from Debian's packages where it is missing): that it suits other Linux systems,
# and the core tests with it, in an environment that has this wheel and the packages of .venv.
CLANG ?= clang++-15
WHEEL := build/wheel
test-wheel: build
	@command -v $(CLANG) >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(subst clang++,clang,$(CLANG)); } || \
	  { echo "$(CLANG) is missing (Debian: apt-get install clang-15); CLANG=... names another"; exit 1; }
	rm -rf $(WHEEL) && mkdir -p $(WHEEL)
	MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) wheel -q --no-build-isolation --no-deps -w $(WHEEL) . -Cbuild-dir=$(WHEEL)/cmake \
	  -Ccmake.define.CMAKE_CXX_COMPILER=$(CLANG) -Ccmake.define.TARSUS_WARNINGS_ARE_ERRORS=ON
	$(BIN)/auditwheel show $(WHEEL)/tarsus-*.whl | tee $(WHEEL)/platform.txt
	@grep -q '"manylinux_' $(WHEEL)/platform.txt || { echo "the wheel suits no other Linux system"; exit 1; }
	$(PYTHON) -m venv $(WHEEL)/venv
	$(WHEEL)/venv/bin/python -m pip --disable-pip-version-check install -q --no-deps $(WHEEL)/tarsus-*.whl
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$$($(WHEEL)/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/packages.pth"
	$(WHEEL)/venv/bin/python -m pytest -q -n $(WORKERS) tests/dynamics tests/model -m "not long"

# Kernels without Python, under address and undefined-behaviour sanitizers; and no symbol shared between instruction sets.
native-test: $(VENV)/.made
	$(BIN)/cmake -S . -B build/native -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DTARSUS_MODULE=OFF -DTARSUS_TESTS=ON -DTARSUS_SANITIZE=ON -DTARSUS_WARNINGS_ARE_ERRORS=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
	$(BIN)/cmake --build build/native
	$(BIN)/ctest --test-dir build/native --output-on-failure
	$(BIN)/python native/tests/check_symbols.py build/native

lint: build
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find native benchmarks -name '*.hpp' -o -name '*.cpp')

format: build
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find native benchmarks -name '*.hpp' -o -name '*.cpp')

docs: build
	$(REQUIREMENTS) docs > $(VENV)/requirements-docs.txt
	$(PIP) install -q -r $(VENV)/requirements-docs.txt
	$(BIN)/mkdocs build --strict

bench: build
	$(BIN)/python -m benchmarks.run

# Runs of hours, by hand: what is done is kept in benchmarks/results/, and a run that was ended goes on from there.
studies: build
	$(BIN)/python tests/fuzz/fuzz_files.py --count 1000000 --seed 1 --jobs $(WORKERS) --results benchmarks/results/fuzz.jsonl --save benchmarks/results/fuzz
	$(BIN)/python tests/optimization/study_programs.py --count 100000 --seed 1 --jobs $(WORKERS) --results benchmarks/results/quadratic_programs.jsonl
	$(BIN)/python tests/geometry/study_distances.py --count 1000000 --jobs $(WORKERS) --results benchmarks/results/distances.jsonl
	$(BIN)/python tests/ik/study_reaching.py --count 1000 --jobs $(WORKERS) --results benchmarks/results/reaching.jsonl
	$(BIN)/python tests/control/stances/study_postures.py --count 10000 --jobs $(WORKERS) --results benchmarks/results/postures.jsonl
	$(BIN)/python tests/analysis/study_pushes.py --count 72 --jobs $(WORKERS) --results benchmarks/results/pushes.jsonl --picture benchmarks/results/pushes.png
	$(BIN)/python tests/analysis/study_pushes.py --controller whole-body --count 12 --precision 1 --jobs $(WORKERS) --results benchmarks/results/pushes-whole-body.jsonl --picture benchmarks/results/pushes-whole-body.png
	$(BIN)/python tests/walking/study_lola.py --count 20 --jobs $(WORKERS) --results benchmarks/results/lola-walks.jsonl
	$(BIN)/python -m pip install --quiet --no-deps --target build/bipeds --upgrade -r tests/walking/biped_packages.txt
	$(BIN)/python tests/walking/study_bipeds.py --packages build/bipeds --jobs $(WORKERS) --results benchmarks/results/bipeds.jsonl --table benchmarks/results/bipeds.md
	$(BIN)/python tests/walking/study_mujoco.py --packages build/bipeds --jobs $(WORKERS) --results benchmarks/results/mujoco.jsonl
	for robot in robot:hrp2 robot:lola talos; do for control in walking walking-ankles; do $(BIN)/python tests/analysis/study_pushes.py --controller $$control --robot $$robot --precision 2 --jobs $(WORKERS) --results benchmarks/results/pushes-$$control-$${robot#robot:}.jsonl --picture benchmarks/results/pushes-$$control-$${robot#robot:}.png || exit 1; done; done

clean:
	rm -rf build site

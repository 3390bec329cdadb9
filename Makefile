# make demo: set up, build, install and run the demonstration.
# make install: build and install it with the development extras, in .venv.
# make quick: the same, then the format, the types and the fast tests, while you work.
# make test: every check.
# make check-all: the heavier checks as well.
PYTHON ?= python3
CXX ?= c++
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# What an installed package is made of; a folder changes when a file in it is removed.
SOURCES := pyproject.toml CMakeLists.txt README.md \
           $(shell find src native/include native/src native/bindings -not -name '*.pyc' -not -name __pycache__)

STUB := src/dagscape/_native.pyi

# The C++ tests, with one folder per build configuration.
NATIVE_BUILD ?= build/native-tests
SANITIZERS ?= address,undefined
KERNEL_OBJECTS := $(patsubst native/%.cpp,$(NATIVE_BUILD)/%.o,$(shell find native/src -name '*.cpp'))
TEST_OBJECTS := $(patsubst native/%.cpp,$(NATIVE_BUILD)/%.o,$(shell find native/tests -name 'test_*.cpp'))
NATIVE_TESTS := $(TEST_OBJECTS:.o=)
KERNEL_LIBRARY := $(NATIVE_BUILD)/libkernels.a
COMMON_HEADER := $(NATIVE_BUILD)/common.hpp
SANITIZED := -std=c++20 -O1 -g1 -Wall -Wextra -Wpedantic -Wno-psabi -Werror -fsanitize=$(SANITIZERS) \
             -fno-sanitize-recover=all -ffp-contract=off -Inative/include -Inative/tests -pthread
# ThreadSanitizer needs fixed address ranges, which address randomisation may occupy.
FIXED_ADDRESSES := $(if $(shell command -v setarch),setarch $(shell uname -m) -R)

.PHONY: demo install quick test check-all lint types stub native-test native-test-threads native-test-clang \
        pytest fuzz test-oldest docs wheel dist bench papers clean

demo: $(VENV)/installed
	$(BIN)/dagscape demo

# The C++ tests are compiled while pip installs, which has little for a second processor to do.
test:
	$(MAKE) --jobs=$(JOBS) lint types native-test docs
	$(MAKE) pytest

install: $(VENV)/installed-dev

# What a change of Python or of a kernel most likely breaks, in about a minute.
quick:
	$(MAKE) --jobs=$(JOBS) lint types
	$(BIN)/pytest --numprocesses=$(JOBS) --dist=worksteal --quiet -m "not slow" tests

check-all: test native-test-threads native-test-clang dist

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/build-tools: $(VENV)/created pyproject.toml packaging/build_tools.py
	$(BIN)/python packaging/build_tools.py
	touch $@

# The kernels are built in build/, which is kept: a change compiles only what it concerns. Requirements are installed
# when pyproject.toml changes.
INSTALL = $(BIN)/python -m pip install --quiet --no-build-isolation \
          $(if $(filter $(VENV)/build-tools,$?),$(1),--no-deps .)

$(VENV)/installed: $(VENV)/build-tools $(SOURCES)
	$(call INSTALL,.)
	touch $@

$(VENV)/installed-dev: $(VENV)/build-tools $(SOURCES)
	$(call INSTALL,".[dev]")
	touch $@ $(VENV)/installed

$(VENV)/installed-bench: $(VENV)/build-tools $(SOURCES)
	$(call INSTALL,".[bench]")
	touch $@ $(VENV)/installed

lint: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(shell find native -name '*.[ch]pp')

# The stub of the compiled module is generated, and must match the one in the tree; `make stub` updates it.
types: $(VENV)/installed-dev
	mkdir -p build
	$(BIN)/python -m nanobind.stubgen --quiet --module dagscape._native --output-file build/_native.pyi
	diff -u $(STUB) build/_native.pyi
	$(BIN)/mypy

stub: $(VENV)/installed-dev
	$(BIN)/python -m nanobind.stubgen --quiet --module dagscape._native --output-file $(STUB)

native-test:
	$(MAKE) --jobs=$(JOBS) $(NATIVE_TESTS)
	@printf '%s\n' $(NATIVE_TESTS) | xargs -P $(JOBS) -I{} sh -c 'echo {}; exec $(RUN_NATIVE_TEST) {}'

native-test-threads:
	$(MAKE) native-test NATIVE_BUILD=build/native-tests-threads SANITIZERS=thread RUN_NATIVE_TEST="$(FIXED_ADDRESSES)"

native-test-clang:
	$(MAKE) native-test NATIVE_BUILD=build/native-tests-clang CXX=clang++

$(NATIVE_TESTS): %: %.o $(KERNEL_LIBRARY)
	$(CXX) $(SANITIZED) $< $(KERNEL_LIBRARY) -o $@

$(KERNEL_LIBRARY): $(KERNEL_OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

# The compiler notes the headers that each source includes, so that a change compiles only what it concerns.
$(NATIVE_BUILD)/%.o: native/%.cpp $(COMMON_HEADER).gch Makefile
	@mkdir -p $(@D)
	$(CXX) $(SANITIZED) -include $(COMMON_HEADER) -MMD -MP -c $< -o $@

# Compilers that do not know this form of a compiled header take the copy beside it.
$(COMMON_HEADER).gch: native/common.hpp Makefile
	@mkdir -p $(@D)
	cp $< $(COMMON_HEADER)
	$(CXX) $(SANITIZED) -x c++-header $(COMMON_HEADER) -o $@

-include $(KERNEL_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d)

pytest: $(VENV)/installed-dev
	$(BIN)/pytest --numprocesses=$(JOBS) --dist=worksteal tests
	$(BIN)/pytest --numprocesses=$(JOBS) --doctest-modules --pyargs dagscape

# Every fuzzing target for longer than `make test` runs it: make fuzz FUZZ="npz --cases 1000000 --seed 7".
FUZZ ?= --cases 20000
fuzz: $(VENV)/installed-dev
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ) --keep build/fuzz

# The tests with the oldest versions of everything that pyproject.toml allows.
test-oldest:
	mkdir -p build
	$(PYTHON) packaging/oldest.py > build/oldest.txt
	$(PYTHON) -m venv --clear build/oldest
	PIP_CONSTRAINT=build/oldest.txt build/oldest/bin/python -m pip install --quiet ".[dev]"
	build/oldest/bin/pytest tests

docs: $(VENV)/installed-dev
	$(BIN)/sphinx-build --fail-on-warning --quiet docs docs/_build/html

# Build an sdist, and from it a wheel with the tag of the oldest Linux systems that it runs on.
wheel: $(VENV)/installed-dev
	rm -rf dist build/dist
	$(BIN)/python -m build --outdir build/dist
	mkdir dist
	cp build/dist/*.tar.gz dist
	PATH="$$PWD/$(BIN):$$PATH" $(BIN)/python -m auditwheel repair --wheel-dir dist build/dist/*.whl

# Build both, and try each in an environment of its own.
dist: wheel
	$(BIN)/python packaging/check_distributions.py dist/*

# `make bench WRITE=--write` also puts the tables into the pages of benchmarks/results.
bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks.local_scores $(WRITE)
	$(BIN)/python -m benchmarks.family_scores $(WRITE)
	$(BIN)/python -m benchmarks.graphs $(WRITE)
	$(BIN)/python -m benchmarks.inference $(WRITE)
	$(BIN)/python -m benchmarks.posterior $(WRITE)
	$(BIN)/python -m benchmarks.best $(WRITE)
	$(BIN)/python -m benchmarks.modes speed states experiments $(WRITE)
	$(BIN)/python -m benchmarks.missing_cells $(WRITE)
	$(BIN)/python -m benchmarks.climbing methods wide peers restarts $(WRITE)
	$(BIN)/python -m benchmarks.independence $(WRITE)
	$(BIN)/python -m benchmarks.students $(WRITE)

# The tables and figures of the papers, run again, for the pages of the documentation: an hour on 2 cores. Interrupted, it
# goes on where it was. DATA is a folder with the data that are not bundled.
DATA ?= ../shared/data
papers: $(VENV)/installed-dev
	$(BIN)/dagscape reproduce --full --data $(DATA) -o build/papers
	mkdir -p docs/papers
	cp build/papers/*.md docs/papers
	cp -r build/papers/figures docs/papers

clean:
	rm -rf build dist .venv docs/_build

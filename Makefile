# Thin over CMake: every target here is a command or two that you could type.
# Trees: build/ (release), build-asan/, build-tsan/, build-tidy/,
# build-fuzz/.

# Variables to set: PREFIX (install), JOBS, SETUP=true (skip tools/setup),
# CMAKE_FLAGS (extra options for every configure step).
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SETUP ?= tools/setup
CMAKE_FLAGS ?=
DESTDIR ?=

generator := $(if $(shell command -v ninja),-G Ninja)
configure := cmake -S . $(generator) -DASHLAR_WERROR=ON $(CMAKE_FLAGS)
quietly := >/dev/null
ctest := ctest --output-on-failure -j$(JOBS) --no-tests=error --test-dir
python := python3

.PHONY: help demo check build test lint format tidy asan tsan fuzz interop \
	examples report-check install golden clean

help:
	@echo 'make demo      build, then show the program on real data'
	@echo 'make check     everything that must pass before a change goes in'
	@echo 'make build     libraries and programs, release, into build/bin/'
	@echo 'make test      release build, every test'
	@echo 'make lint      layout rules and formatting'
	@echo 'make format    rewrite the sources with clang-format'
	@echo 'make tidy      clang-tidy over the whole tree'
	@echo 'make asan      every test under ASan and UBSan, assertions on'
	@echo 'make tsan      the tests labelled concurrency, under TSan'
	@echo 'make fuzz      FUZZ_SECONDS=60 for each parser (Clang, libFuzzer)'
	@echo "make interop   RocksDB, LevelDB and we read each other's files; and"
	@echo '               what sanitizers cannot test'
	@echo 'make examples  build and run tools/examples'
	@echo 'make report-check  the pages of ashlar report in a browser'
	@echo 'make install   PREFIX=/usr/local DESTDIR='
	@echo 'make golden    compare test/golden with its manifest'
	@echo 'make clean     remove the build trees'

demo:
	@$(SETUP) demo
	@$(MAKE) --no-print-directory build
	@tools/demo/run

check:
	@$(SETUP) check
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory asan
	@$(MAKE) --no-print-directory interop

build:
	@$(configure) -B build $(quietly)
	@cmake --build build -j $(JOBS) --target product

# The release tree with its tests; each public header is compiled alone.
.PHONY: release_tests
release_tests:
	@$(configure) -B build -DASHLAR_BUILD_TESTS=ON $(quietly)
	@cmake --build build -j $(JOBS) --target all \
		all_verify_interface_header_sets

test: release_tests
	$(ctest) build

lint:
	@$(python) -B tools/lint/check_layout.py
	@tools/lint/check_format

format:
	@tools/lint/check_format --fix

tidy:
	@tools/lint/tidy_changed --all

asan:
	@$(configure) -B build-asan -DCMAKE_BUILD_TYPE=Debug \
		-DASHLAR_SANITIZE=address -DASHLAR_BUILD_TESTS=ON $(quietly)
	@cmake --build build-asan -j $(JOBS)
	$(ctest) build-asan

tsan:
	@$(configure) -B build-tsan -DCMAKE_BUILD_TYPE=Debug \
		-DASHLAR_SANITIZE=thread -DASHLAR_BUILD_TESTS=ON $(quietly)
	@cmake --build build-tsan -j $(JOBS) --target concurrency_tests
	$(ctest) build-tsan -L concurrency

fuzz:
	@test/fuzz/run $(or $(FUZZ_SECONDS),60)

interop: interop_programs
	$(ctest) build -L 'interop|unsanitized'

.PHONY: interop_programs
interop_programs:
	@tools/interop/fetch_oracle build/oracle
	@$(configure) -B build -DASHLAR_BUILD_TESTS=ON $(quietly)
	@cmake --build build -j $(JOBS) --target product interop_tests \
		unsanitized_tests all_verify_interface_header_sets

examples: release_tests
	$(ctest) build -L examples

# Pictures of the pages come to lie in build/report.
report-check:
	@$(SETUP) report
	@$(MAKE) --no-print-directory build
	@$(python) -B test/report/check_pages.py build/bin/ashlar build/report

install:
	@$(configure) -B build -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(quietly)
	@cmake --build build -j $(JOBS) --target product
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

golden: release_tests
	$(ctest) build -L golden

clean:
	rm -rf build build-asan build-tsan build-tidy build-fuzz \
		build-std-semaphores

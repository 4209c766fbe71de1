# Thin over CMake: every target here is a command or two that you could type.
# Trees: build/ (release), build-asan/, -tsan/, -tidy/, -fuzz/, -schedules/.

# Variables: PREFIX (install), JOBS, SETUP=true (skip tools/setup), CMAKE_FLAGS
# (options for every configure step), CTEST_FLAGS (which tests of a tree to run).
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SETUP ?= tools/setup
CMAKE_FLAGS ?=
CTEST_FLAGS ?=

generator := $(if $(shell command -v ninja),-G Ninja)
compiler :=
configure = $(compiler) cmake -S . $(generator) -DASHLAR_WERROR=ON $(CMAKE_FLAGS)
quietly := >/dev/null
stage := tools/stage
ctest := $(stage) tests ctest $(CTEST_FLAGS) --output-on-failure \
	-j$(JOBS) --no-tests=error --test-dir
python := python3

.PHONY: help demo check product build bench bench_programs test lint format tidy asan tsan fuzz \
	interop interop_programs examples report-check mini-lsm-crashes release_tests install golden clean asan_tests thorough repeat

help::
	@echo 'make demo      build, then show the program on real data'
	@echo 'make check     everything that must pass before a change goes in'
	@echo 'make build     libraries, ashlar and cache_sim, release, into build/'
	@echo 'make bench     a tour of speed, against RocksDB: 3 to 5 minutes, one table'
	@echo 'make bench_programs  what measures, and the RocksDB to compare with'
	@echo 'make test      release build, every test'
	@echo 'make lint      layout rules and formatting'
	@echo 'make format    rewrite the sources with clang-format'
	@echo 'make tidy      clang-tidy over the whole tree'
	@echo 'make asan      every test under ASan and UBSan, assertions on'
	@echo 'make thorough  what takes too long for each make asan'
	@echo 'make repeat    each test program 50 times, shuffled; 20 under ASan'
	@echo 'make tsan      the tests labelled concurrency, under TSan'
	@echo 'make fuzz      FUZZ_SECONDS=60 for each parser (Clang, libFuzzer)'
	@echo "make interop   RocksDB's, LevelDB's and our files; unsanitized tests"
	@echo 'make examples  build and run tools/examples'
	@echo 'make mini-lsm-crashes  OPERATIONS=10000000, with kills between them'
	@echo 'make report-check  the pages of ashlar report in a browser'
	@echo 'make install   PREFIX=/usr/local DESTDIR='
	@echo 'make golden    compare test/golden with its manifest'
	@echo 'make clean     remove the build trees'

demo:
	@$(SETUP) demo
	@$(MAKE) --no-print-directory product
	@tools/demo/run

check:
	@$(SETUP) check
	@MAKE='$(MAKE)' tools/check

# The libraries and ashlar: what is installed.
product:
	@$(configure) -B build $(quietly)
	@cmake --build build -j $(JOBS) --target product

build: product
	@cmake --build build -j $(JOBS) --target cache_sim

# TOUR: flags of tools/bench/tour, --quick for one.
bench: bench_programs
	@$(python) -B tools/bench/tour $(TOUR)

bench_programs:
	@$(SETUP) bench
	@tools/interop/fetch_oracle build/oracle
	@$(configure) -B build $(quietly)
	@cmake --build build -j $(JOBS) --target bench_programs

# The release tree with its tests; each public header is compiled alone.
release_tests:
	@$(configure) -B build -DASHLAR_BUILD_TESTS=ON $(quietly)
	@cmake --build build -j $(JOBS) --target all \
		all_verify_interface_header_sets

test: release_tests
	$(ctest) build

lint:
	@$(stage) layout $(python) -B tools/lint/check_layout.py
	@$(stage) format tools/lint/check_format

format:
	@tools/lint/check_format --fix

tidy:
	@tools/lint/tidy_changed --all

# Programs compiled by Clang start in half of the time. A tree keeps its compiler.
clang_asan := $(wildcard $(shell clang++-16 -print-resource-dir 2>/dev/null)/lib/linux/libclang_rt.asan-*.a)
asan_tests: compiler := $(if $(clang_asan),CC=$${CC:-clang-16} CXX=$${CXX:-clang++-16})
asan thorough repeat: export ASAN_SYMBOLIZER_PATH ?= $(shell command -v llvm-symbolizer-16 || command -v llvm-symbolizer)
asan_tests:
	@$(configure) -B build-asan -DCMAKE_BUILD_TYPE=Debug \
		-DASHLAR_SANITIZE=address -DASHLAR_BUILD_TESTS=ON $(quietly)
	@$(stage) compile cmake --build build-asan -j $(JOBS)

asan: asan_tests
	$(ctest) build-asan

thorough: asan_tests
	$(ctest) build-asan -C Thorough -L thorough

repeat: release_tests asan_tests
	test/repeat/repeat_tests.py --times=50 build/bin
	test/repeat/repeat_tests.py --times=20 build-asan/bin

tsan:
	@$(configure) -B build-tsan -DCMAKE_BUILD_TYPE=Debug \
		-DASHLAR_SANITIZE=thread -DASHLAR_BUILD_TESTS=ON $(quietly)
	@$(stage) compile cmake --build build-tsan -j $(JOBS) \
		--target concurrency_tests
	$(ctest) build-tsan -L concurrency -j$$((2 * $(JOBS)))

fuzz:
	@test/fuzz/run $(or $(FUZZ_SECONDS),60)

interop: interop_programs
	$(ctest) build -L 'interop|unsanitized'

interop_programs:
	@tools/interop/fetch_oracle build/oracle
	@$(configure) -B build -DASHLAR_BUILD_TESTS=ON $(quietly)
	@$(stage) compile cmake --build build -j $(JOBS) --target product \
		interop_tests unsanitized_tests all_verify_interface_header_sets

examples:
	@$(configure) -B build -DASHLAR_BUILD_TESTS=ON $(quietly)
	@cmake --build build -j $(JOBS) --target examples
	$(ctest) build -L examples

mini-lsm-crashes:
	@$(configure) -B build -DASHLAR_BUILD_TESTS=ON $(quietly)
	@cmake --build build -j $(JOBS) --target mini_lsm_crash_test
	ASHLAR_MINI_LSM_OPERATIONS=$(or $(OPERATIONS),10000000) \
		build/bin/mini_lsm_crash_test

# Pictures of the pages come to lie in build/report.
report-check:
	@$(SETUP) report
	@$(MAKE) --no-print-directory product
	@$(python) -B test/report/check_pages.py build/bin/ashlar build/report

install:
	@$(configure) -B build -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(quietly)
	@cmake --build build -j $(JOBS) --target product
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

golden: release_tests
	$(ctest) build -L golden

clean:
	rm -rf build build-asan build-tsan build-tidy build-fuzz \
		build-std-semaphores build-schedules build-static build-web build-arm64 build-posix build-coverage
include c_api/c_api.mk packaging/packaging.mk test/attack/attack.mk test/schedules/schedules.mk tools/web/web.mk \
	tools/docs/docs.mk tools/release/release.mk tools/interop/rocksdb.mk python/python.mk python/engines.mk

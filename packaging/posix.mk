# The tree that calls nothing that only Linux has; docs/porting.md. Included by
# packaging.mk.
.PHONY: posix posix-check posix-tree

help::
	@echo 'make posix     with nothing that only Linux has; tests: build-posix'
	@echo 'make posix-check  of that, the lowest two floors'

posix_tests := util_test util_concurrency_test atomic_file_faults_test \
	cache_test cache_concurrency_test table_concurrency_test table_golden_test

# Without the program, whose sandbox is Linux's, and without a build type: this
# tree is for the compiler's opinion.
posix-tree:
	@$(SETUP)
	@$(configure) -B build-posix -DASHLAR_POSIX_SUBSET=ON \
		-DASHLAR_BUILD_TESTS=ON -DASHLAR_BUILD_TOOLS=OFF \
		-DCMAKE_BUILD_TYPE=None $(quietly)

posix: posix-tree
	@$(stage) compile cmake --build build-posix -j $(JOBS) \
		--target ashlar $(posix_tests)
	$(ctest) build-posix -R \
		'^(util|cache|atomic_file_faults)_test|^table_golden|_concurrency_test'

posix-check: posix-tree
	@$(stage) compile cmake --build build-posix -j $(JOBS) \
		--target util_concurrency_test
	$(ctest) build-posix -R '^util_concurrency_test'

# The tree that calls nothing that only Linux has; docs/porting.md. Included by
# packaging.mk.
.PHONY: posix posix-check posix-tree

help::
	@echo 'make posix     with nothing that only Linux has; tests: build-posix'
	@echo 'make posix-check  of that, the lowest two floors'

# Without the program, whose sandbox is Linux's, and without a build type: this
# tree is for the compiler's opinion.
posix-tree:
	@$(SETUP)
	@$(configure) -B build-posix -DASHLAR_POSIX_SUBSET=ON \
		-DASHLAR_BUILD_TESTS=ON -DASHLAR_BUILD_TOOLS=OFF \
		-DCMAKE_BUILD_TYPE=None $(quietly)

posix: posix-tree
	@$(stage) compile cmake --build build-posix -j $(JOBS) \
		--target all
	$(ctest) build-posix -LE interop -E '$(not_of_library)'

posix-check: posix-tree
	@$(stage) compile cmake --build build-posix -j $(JOBS) \
		--target util_concurrency_test
	$(ctest) build-posix -R '^util_concurrency_test'

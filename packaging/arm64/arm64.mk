# Targets of the tree for ARM64; docs/porting.md. Included by packaging.mk.
.PHONY: arm64 arm64-check arm64-tree

help::
	@echo 'make arm64     cross-compiled for ARM64; tests under qemu: build-arm64'
	@echo 'make arm64-check  of that, the kernels of the processor alone'

arm64_folder := $(CURDIR)/build-arm64
arm64_tree := $(arm64_folder)/tree
arm64_toolchain := $(CURDIR)/packaging/arm64/toolchain.cmake
arm64-tree:
	@$(SETUP) arm64
	@packaging/arm64/fetch $(arm64_folder)
	@$(configure) -B $(arm64_tree) -DASHLAR_BUILD_TESTS=ON \
		-DASHLAR_ARM64_SYSROOT=$(arm64_folder)/sysroot \
		-DCMAKE_TOOLCHAIN_FILE=$(arm64_toolchain) $(quietly)

# The emulator takes no filter of system calls, which these tests need.
arm64: export GTEST_FILTER = -RandomWordTest.WordsDifferWithoutTheSystemCall:$\
	SandboxTest.NoProgramNoNetworkNoOtherProcess:$\
	SandboxTest.NothingIsTypedIntoATerminal
arm64: arm64-tree
	@$(stage) compile cmake --build $(arm64_tree) -j $(JOBS) \
		--target all
	$(ctest) $(arm64_tree) -LE interop \
		-E '$(not_of_library)|^c_api_(exports|valgrind)|^fuzz.canary'

arm64-check: arm64-tree
	@$(stage) compile cmake --build $(arm64_tree) -j $(JOBS) \
		--target kernels_test
	$(ctest) $(arm64_tree) -L '^kernels$$'
	@packaging/arm64/check_big_endian

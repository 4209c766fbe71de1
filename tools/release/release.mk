# Targets of a release; docs/releasing.md. Included by the Makefile.
.PHONY: release-check release-files release-tarball release-product

VERSION ?=
version = $(shell $(python) -B tools/release/versions.py)

help::
	@echo 'make release-check    VERSION=: is the tree ready to be released?'
	@echo 'make release-files    once per release: its tables, its C interface'
	@echo 'make release-tarball  the sources of HEAD, to be signed'

release-product:
	@$(SETUP) release
	@$(configure) -B build $(quietly)
	@cmake --build build -j $(JOBS) --target product ashlar_c

release-check: release-product
	@$(python) -B tools/release/release_check build $(VERSION)

release-files: release-product
	@$(python) -B tools/release/make_files build/bin/ashlar \
		test/golden/releases/$(version)
	@$(python) -B tools/release/abi.py build/c_api/libashlar_c.so \
		c_api/abi/$(version).abi

# The same commit gives the same bytes.
release-tarball:
	@mkdir -p build/release
	@git archive --prefix=ashlar-$(version)/ HEAD | gzip -n9 \
		> build/release/ashlar-$(version).tar.gz
	@cd build/release && sha256sum ashlar-$(version).tar.gz | \
		tee ashlar-$(version).tar.gz.sha256

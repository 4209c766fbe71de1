# Targets of packages; docs/packages.md. Included by the Makefile.
include packaging/arm64/arm64.mk packaging/posix.mk
.PHONY: conan deb deb-check packages-check packages-tools reproducible static

# Tests of this machine's tools, or of the whole program thousands of times: a
# tree for another system leaves them out.
not_of_library := ^(tools|docs|lint|release|model|attack|mutants|coverage)[.]|$\
	^repeat[.]|_attack[.]|^rocksdb_unit|^example_queue

help::
	@echo 'make deb       Debian packages of HEAD, into build/deb'
	@echo 'make deb-check the same in a bare Debian 12, installed and tried (root)'
	@echo 'make static    ashlar as one file that runs on any Linux: build-static'
	@echo 'make reproducible  two builds in different folders, compared'
	@echo 'make conan     the package of Conan, made, and used by its test'
	@echo 'make packages-tools  Conan and hadolint, for packages-check'
	@echo 'make packages-check  the files of all packages, without building one'

deb:
	@$(SETUP) deb
	@packaging/make_deb binary build/deb

deb-check:
	@$(SETUP) deb
	@packaging/check_deb build/deb-check

static:
	@$(SETUP) static
	@$(configure) -B build-static -DASHLAR_STATIC_PROGRAM=ON \
		-DASHLAR_HARDEN=ON $(quietly)
	@cmake --build build-static -j $(JOBS) --target ashlar_program
	@packaging/check_hardening build-static/bin/ashlar
	@packaging/check_static build-static/bin/ashlar

reproducible:
	@$(SETUP)
	@packaging/check_reproducible

conan: packages-tools
	@JOBS=$(JOBS) packaging/check_conan

packages-tools:
	@$(SETUP) packages
	@packaging/fetch_tools build/packaging-tools

packages-check: product
	@packaging/check build

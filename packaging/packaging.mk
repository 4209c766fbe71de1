# Targets of packages; docs/packages.md. Included by the Makefile.
.PHONY: deb deb-check

help::
	@echo 'make deb       Debian packages of HEAD, into build/deb'
	@echo 'make deb-check the same in a bare Debian 12, installed and tried (root)'

deb:
	@$(SETUP) deb
	@packaging/make_deb binary build/deb

deb-check:
	@$(SETUP) deb
	@packaging/check_deb build/deb-check

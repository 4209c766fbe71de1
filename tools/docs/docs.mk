# Targets of the site; CONTRIBUTING.md. Included by the Makefile.
.PHONY: docs

help::
	@echo 'make docs      guide, reference and manual as one site: build/docs'

# The site needs no server: open build/docs/index.html.
docs:
	@$(SETUP) docs
	@$(MAKE) --no-print-directory product
	@$(python) -B tools/docs/make_site build/bin/ashlar build/docs

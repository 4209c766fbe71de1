# Targets of the site; CONTRIBUTING.md. Included by the Makefile.
.PHONY: docs docs-check

help::
	@echo 'make docs      guide, reference and manual as one site: build/docs'
	@echo 'make docs-check  the site in a browser, in light and in dark'

# The site needs no server: open build/docs/index.html.
docs:
	@$(SETUP) docs
	@$(MAKE) --no-print-directory product
	@$(python) -B tools/docs/make_site build/bin/ashlar build/docs

# Pictures of the pages come to lie in build/docs-pictures.
docs-check: docs
	@$(SETUP) report
	@$(python) -B test/docs/check_looks.py build/docs build/docs-pictures

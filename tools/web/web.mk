# The page that opens a table in a browser; docs/web.md. Included by the
# Makefile.
.PHONY: web web-check

help::
	@echo 'make web       build-web/ashlar.html: opens a table in a browser'
	@echo 'make web-check the same, and its test in Chromium'

web_toolchain := \
	/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake
# Emscripten's scripts need packages of Debian, which only its own node finds
# without this.
web_environment := NODE_PATH=/usr/share/nodejs

web:
	@$(SETUP) web
	@mkdir -p build-web
	@python/wheels/fetch build-web sources
	@$(web_environment) $(configure) -B build-web -Wno-dev \
		-DCMAKE_TOOLCHAIN_FILE=$(web_toolchain) \
		-DASHLAR_LIBRARY_SOURCES=$(CURDIR)/build-web/sources $(quietly)
	@$(web_environment) cmake --build build-web -j $(JOBS) --target web

web-check: web product
	@$(python) -B test/web/check_page.py build/bin/ashlar \
		build-web/ashlar.html

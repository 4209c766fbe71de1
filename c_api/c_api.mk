# Targets of the C interface; docs/c-api.md. Included by the Makefile.
.PHONY: bindings

help::
	@echo 'make bindings  the C interface from C, Go and Rust, where they are'

bindings:
	@$(SETUP)
	@$(configure) -B build $(quietly)
	@cmake --build build -j $(JOBS) --target ashlar_c
	@c_api/check_bindings build/c_api build/c_api/include

# Targets of the Python package; docs/python.md. Included by the Makefile.
.PHONY: python-wheel python-check python-demo python-bench \
	python-soak

help::
	@echo 'make python-check  the Python package: a wheel, types, and tests'
	@echo 'make python-demo  a table of Arrow, through RocksDB, and back'
	@echo 'make python-wheel  MACHINE=x86_64, aarch64: wheels for others, checked'
	@echo 'make python-bench  BENCH=write, sets, get, scan; against rocksdict'
	@echo 'make python-soak  ROWS=20000000 in no order to tables, and all read back'

python_venv := build-python/venv/bin/python

# The wheels in build-wheels/wheels, which need no other library. PYTHONS:
# interpreters to install them for.
python-wheel:
	@$(SETUP) wheels
	@JOBS=$(JOBS) python/wheels/build $(MACHINE)
	@build-wheels/venv/bin/python -B python/wheels/check.py $(MACHINE)

python-check:
	@$(SETUP) demo
	@JOBS=$(JOBS) python/make_wheel test
	@python/check_types
	@cd build-python && venv/bin/python -B -m pytest -q \
		-p no:cacheprovider -c ../python/pyproject.toml ../python/tests

python-demo:
	@$(SETUP) demo
	@JOBS=$(JOBS) python/make_wheel test
	@$(python_venv) -B python/demo/demo.py

# BENCH: arguments of python/bench/run.py.
python-bench:
	@$(SETUP) demo
	@JOBS=$(JOBS) python/make_wheel test
	@cmake --build build-python -j $(JOBS) --target python_library_reads \
		$(quietly)
	@$(python_venv) -B python/bench/run.py $(or $(BENCH),all) \
		--library=build-python/bin/python_library_reads

python-soak:
	@$(SETUP) demo
	@JOBS=$(JOBS) python/make_wheel test
	@$(python_venv) -B python/bench/soak.py --rows=$(or $(ROWS),20000000)

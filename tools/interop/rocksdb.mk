# RocksDB's own programs and tests, with the plugin preloaded. The Makefile
# includes this. The adapter is built twice, for a release and for a debug build
# of RocksDB, because it must have the classes of the RocksDB that it runs with.
# UNIT_TESTS, STRESS and CRASHES are further flags of the scripts.

adapter := cmake -S . $(generator) $(CMAKE_FLAGS) -DASHLAR_ROCKSDB_PLUGIN=ON
debug_tree := $(CURDIR)/build/rocksdb-debug
source_tree := $(CURDIR)/build/rocksdb-source

.PHONY: rocksdb-plugin rocksdb-demo rocksdb-compaction-demo rocksdb-check rocksdb-programs rocksdb-release-adapter rocksdb-debug-adapter \
	rocksdb-unit-tests rocksdb-stress rocksdb-crash-test

help::
	@echo 'make rocksdb-plugin  the adapter by which RocksDB runs on Ashlar'
	@echo 'make rocksdb-check  the tests of that, and a short run of the next three'
	@echo 'make rocksdb-demo  db_bench, RocksDB and with Ashlar, alternately'
	@echo 'make rocksdb-compaction-demo  compactions of RocksDB by other processes'
	@echo "make rocksdb-unit-tests  RocksDB's own, on our tables (an hour, once)"
	@echo 'make rocksdb-stress  SECONDS=300 for each configuration of db_stress'
	@echo 'make rocksdb-crash-test  MINUTES=60 of kills, of each of two kinds'

rocksdb-plugin:
	@$(SETUP) bench
	@tools/interop/fetch_oracle build/oracle
	@$(adapter) -B build $(quietly)
	@cmake --build build -j $(JOBS) --target ashlar_rocksdb_preload
	@ls build/lib/libashlar_rocksdb*.so

# DEMO: flags of plugin/rocksdb/demo, such as --rounds=15.
rocksdb-demo: rocksdb-plugin rocksdb-programs
	@LD_LIBRARY_PATH=build/oracle/lib plugin/rocksdb/demo $(DEMO)

# COMPACTION_DEMO: flags of the script, such as --folder.
rocksdb-compaction-demo: rocksdb-plugin
	@cmake --build build -j $(JOBS) --target \
		ashlar_compaction_worker ashlar_compaction_example
	@plugin/rocksdb/compaction_service/demo $(COMPACTION_DEMO)

# A few minutes of what the targets below do at length.
rocksdb-check: rocksdb-plugin
	@$(adapter) -B build -DASHLAR_BUILD_TESTS=ON -DASHLAR_WERROR=ON $(quietly)
	@cmake --build build -j $(JOBS) --target \
		ashlar_cache_plugin_test ashlar_cache_ops_test \
		adapted_counters_test adapted_databases_test \
		compaction_reads_test \
		faulty_databases_test compaction_service_test \
		ashlar_compaction_worker ashlar_compaction_example
	@ctest --test-dir build -L plugin --output-on-failure --no-tests=error \
		-j$(JOBS)
	@plugin/rocksdb/compaction_service/demo
	@JOBS=$(JOBS) tools/interop/rocksdb_programs/build db_stress
	@tools/interop/rocksdb_stress --seconds=15 --configurations=merges
	@tools/interop/rocksdb_crash_test blackbox --minutes=0.5 --interval=8 \
		--modes=default

rocksdb-programs:
	@JOBS=$(JOBS) tools/interop/rocksdb_programs/build

rocksdb-release-adapter: rocksdb-programs
	@$(adapter) -B build $(quietly)
	@cmake --build build -j $(JOBS) --target ashlar_rocksdb_preload

rocksdb-debug-adapter:
	@JOBS=$(JOBS) tools/interop/rocksdb_debug/build
	@$(adapter) -B build/rocksdb-debug-adapter -DASHLAR_BUILD_TOOLS=OFF \
		-DASHLAR_ROCKSDB_SOURCE=$(source_tree) \
		-DASHLAR_ROCKSDB_FLAGS=@$(debug_tree)/flags $(quietly)
	@cmake --build build/rocksdb-debug-adapter -j $(JOBS) \
		--target ashlar_rocksdb_preload

rocksdb-unit-tests: rocksdb-debug-adapter
	@tools/interop/rocksdb_unit_tests --jobs=$(JOBS) $(UNIT_TESTS)

rocksdb-stress: rocksdb-release-adapter
	@tools/interop/rocksdb_stress --seconds=$(or $(SECONDS),300) $(STRESS)

rocksdb-crash-test: rocksdb-release-adapter rocksdb-debug-adapter
	@tools/interop/rocksdb_crash_test blackbox $(CRASHES) \
		--minutes=$(or $(MINUTES),60)
	@tools/interop/rocksdb_crash_test whitebox $(CRASHES) \
		--minutes=$(or $(MINUTES),60)

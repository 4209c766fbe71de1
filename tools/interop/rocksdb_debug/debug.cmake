# What we add to RocksDB's own CMakeLists.txt, which includes this file after
# its project() line (CMAKE_PROJECT_rocksdb_INCLUDE). The script `build` beside
# this file is how to run it.
#
# BATCH  the number of sources of the library that are compiled as one

function(adapt_rocksdb_targets)
  # Most of the time at -O0 goes into headers, so that a few sources as one take
  # as long as one of them. RocksDB's `make unity.a` does the same to these
  # sources, so their names do not clash. The sources of the locktree, and those
  # that its Makefile compiles apart, may not be joined.
  set_target_properties(rocksdb-shared PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${BATCH})
  get_target_property(sources rocksdb-shared SOURCES)
  set(apart ${sources})
  list(FILTER apart INCLUDE REGEX "range_tree|^tools/|build_version|\\.c$")
  set_source_files_properties(${apart} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)

  # The flags that a file which includes RocksDB's internal headers must have
  # too, so that both see the same classes. A compiler reads them as @flags.
  set(of_target "$<TARGET_PROPERTY:rocksdb-shared")
  set(definitions "$<REMOVE_DUPLICATES:${of_target},COMPILE_DEFINITIONS>>")
  set(rtti "-frtti\n-DROCKSDB_USE_RTTI\n-UNDEBUG")
  set(defined "-D$<JOIN:${definitions},\n-D>")
  set(included
    "-isystem\n${CMAKE_SOURCE_DIR}\n-isystem\n${CMAKE_SOURCE_DIR}/include")
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/flags
    CONTENT "${rtti}\n${defined}\n${included}\n")
endfunction()

cmake_language(DEFER CALL adapt_rocksdb_targets)

# Defines the imported target ashlar_oracle: the RocksDB that tests and
# benchmarks compare with. It exists only if a RocksDB was found: in
# ASHLAR_ORACLE_ROOT if that is set, otherwise in ROCKSDB_ROOT of the
# environment if that is set, otherwise in <build tree>/oracle, where
# fetch_oracle puts one. If there is none, ASHLAR_ORACLE_MISSING says why.
# ASHLAR_ORACLE_SOURCE is the folder with the source of RocksDB's sst_dump. If
# it is empty, ASHLAR_ORACLE_TOOL_MISSING says why.
#
# Link it before ashlar: it exports its own codecs, and must find those and not
# the system's. Do not link it into sanitizer builds. Code that includes its
# headers is compiled with -fno-rtti, like RocksDB itself, so that our classes
# can derive from its classes.
include_guard(GLOBAL)

set(ASHLAR_ORACLE_ROOT "" CACHE PATH "RocksDB to compare with: include/, lib/")
set(root ${PROJECT_BINARY_DIR}/oracle)
if(ASHLAR_ORACLE_ROOT)
  set(root ${ASHLAR_ORACLE_ROOT})
elseif(DEFINED ENV{ROCKSDB_ROOT})
  set(root $ENV{ROCKSDB_ROOT})
endif()

find_library(oracle_library rocksdb NO_CACHE NO_DEFAULT_PATH
  PATHS ${root}/lib ${root}/lib/${CMAKE_LIBRARY_ARCHITECTURE} ${root})
set(version_header ${root}/include/rocksdb/version.h)
set(missing "")
set(source "")
if(oracle_library AND EXISTS ${version_header})
  file(STRINGS ${version_header} major REGEX "define ROCKSDB_MAJOR ")
  string(REGEX REPLACE ".* " "" major "${major}")
endif()
if(oracle_library AND major AND major LESS 11)
  # SstFileReader::Get and format version 7 came with RocksDB 10. Releases
  # before 11 were not tried.
  set(missing "the RocksDB in ${root} is too old: 11 or later is needed")
elseif(oracle_library AND major)
  if(oracle_library MATCHES "\\.a$")
    add_library(ashlar_oracle STATIC IMPORTED GLOBAL)
  else()
    add_library(ashlar_oracle SHARED IMPORTED GLOBAL)
  endif()
  # rocksdbjni's library has no soname. Without the second line, programs would
  # look for it at the path that the linker was given.
  set_target_properties(ashlar_oracle PROPERTIES
    IMPORTED_LOCATION ${oracle_library}
    IMPORTED_NO_SONAME TRUE)
  target_include_directories(ashlar_oracle SYSTEM INTERFACE ${root}/include)
  target_compile_options(ashlar_oracle INTERFACE -fno-rtti)
  # The layout of fetch_oracle, or of a checkout of RocksDB with its library.
  foreach(folder ${root}/source ${root})
    if(EXISTS ${folder}/tools/sst_dump_tool.cc)
      set(source ${folder})
      break()
    endif()
  endforeach()
elseif(EXISTS ${root}/skipped)
  file(READ ${root}/skipped reason)
  string(STRIP "no RocksDB in ${root}: ${reason}" missing)
else()
  set(missing "no RocksDB in ${root}: run tools/interop/fetch_oracle")
endif()
set(ASHLAR_ORACLE_MISSING "${missing}" CACHE INTERNAL "")
if(NOT missing AND NOT source)
  set(missing "the RocksDB in ${root} has no source/tools/sst_dump_tool.cc")
endif()
set(ASHLAR_ORACLE_TOOL_MISSING "${missing}" CACHE INTERNAL "")
set(ASHLAR_ORACLE_SOURCE "${source}" CACHE INTERNAL "")

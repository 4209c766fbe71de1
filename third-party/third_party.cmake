# Tells the build which libraries there are. Included by the top CMakeLists.txt.
# Everything comes from the system; nothing is vendored. With
# ASHLAR_LIBRARY_SOURCES, sources that the user has take the system's place. The wrapper headers
# beside this file are the only place that includes a library's own headers.
#
# A codec can be left out: -DASHLAR_HAVE_LZ4=0, and likewise ZSTD, SNAPPY,
# ZLIB and BZIP2. So can liburing: -DASHLAR_HAVE_URING=0.
#
# ASHLAR_ZSTD_ROOT is for a newer libzstd than the system's, which decompresses
# small blocks faster (docs/benchmarks.md).
set(ASHLAR_ZSTD_ROOT "" CACHE PATH
  "Where a libzstd is installed, such as /opt/zstd; empty: the system's")
if(ASHLAR_ZSTD_ROOT)
  if(NOT EXISTS ${ASHLAR_ZSTD_ROOT}/lib/pkgconfig/libzstd.pc)
    message(FATAL_ERROR
      "ASHLAR_ZSTD_ROOT: no ${ASHLAR_ZSTD_ROOT}/lib/pkgconfig/libzstd.pc")
  endif()
  set(ENV{PKG_CONFIG_PATH}
    "${ASHLAR_ZSTD_ROOT}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
endif()
set(ASHLAR_LIBRARY_SOURCES "" CACHE PATH
  "A folder of sources of the libraries (library_sources.cmake); empty: none")
if(ASHLAR_LIBRARY_SOURCES)
  include(${CMAKE_CURRENT_LIST_DIR}/library_sources.cmake)
else()
  include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
endif()

set(ASHLAR_UTIL_LIBRARIES PkgConfig::ashlar_xxhash)
foreach(codec ZSTD LZ4 SNAPPY ZLIB BZIP2)
  if(ASHLAR_HAVE_${codec})
    set(ASHLAR_HAVE_${codec} 1)
  else()
    set(ASHLAR_HAVE_${codec} 0)
  endif()
  message(STATUS "Ashlar: ${codec}: ${ASHLAR_HAVE_${codec}}")
  # Always defined, as 0 or 1, so that a misspelled name is a -Wundef error.
  target_compile_definitions(ashlar_flags INTERFACE
    ASHLAR_HAVE_${codec}=${ASHLAR_HAVE_${codec}})
endforeach()
# ashlar_link(<LIBRARY> <target> <field> <name>): the field of ashlar.pc,
# REQUIRES or LIBS, has this name.
macro(ashlar_link library target field name)
  if(ASHLAR_HAVE_${library})
    list(APPEND ASHLAR_UTIL_LIBRARIES ${target})
    list(APPEND ASHLAR_PC_${field} ${name})
  endif()
endmacro()
ashlar_link(ZSTD PkgConfig::ashlar_zstd REQUIRES libzstd)
ashlar_link(LZ4 PkgConfig::ashlar_lz4 REQUIRES liblz4)
set(ashlar_snappy Snappy::snappy)
if(ASHLAR_STATIC_PROGRAM AND TARGET Snappy::snappy-static)
  set(ashlar_snappy Snappy::snappy-static)
endif()
ashlar_link(SNAPPY ${ashlar_snappy} LIBS -lsnappy)
ashlar_link(ZLIB PkgConfig::ashlar_zlib REQUIRES zlib)
ashlar_link(BZIP2 BZip2::BZip2 LIBS -lbz2)

# Only one file asks for this, so it is not a flag of all.
set(ASHLAR_PORT_DEFINITIONS ASHLAR_HAVE_URING=0)
if(ASHLAR_HAVE_URING AND NOT ASHLAR_POSIX_SUBSET)
  set(ASHLAR_PORT_DEFINITIONS ASHLAR_HAVE_URING=1)
  set(ASHLAR_PORT_LIBRARIES PkgConfig::ashlar_uring)
  list(APPEND ASHLAR_PC_REQUIRES liburing)
endif()
message(STATUS "Ashlar: io_uring: ${ASHLAR_PORT_DEFINITIONS}")

list(APPEND ASHLAR_PC_REQUIRES libxxhash)
list(JOIN ASHLAR_PC_REQUIRES ", " ASHLAR_PC_REQUIRES)
list(JOIN ASHLAR_PC_LIBS " " ASHLAR_PC_LIBS)

if(ASHLAR_BUILD_TOOLS)
  if(NOT ASHLAR_LIBRARY_SOURCES)
    find_package(gflags CONFIG REQUIRED)
    find_package(nlohmann_json CONFIG REQUIRED)
  endif()
  include(${CMAKE_CURRENT_LIST_DIR}/arrow.cmake)
endif()
if(ASHLAR_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# Compiles the libraries that Ashlar links from their sources, as static ones.
# For programs that must run where those libraries are not: the wheels of the
# Python package (python/wheels/). Included in place of libraries.cmake.
#
# In:  ASHLAR_LIBRARY_SOURCES, a folder with one folder for each library, by the
#      name of Debian's source package, as python/wheels/fetch makes it.
# Out: what libraries.cmake has, and gflags and nlohmann_json::nlohmann_json.
#
# io_uring is left out: few containers allow it.
enable_language(C ASM)
find_package(Threads REQUIRED)

# ashlar_library_source(<target> <folder> SOURCES ... [INCLUDE ...]
#                       [DEFINITIONS ...])
# Declares library_<target>, static, and <target>, through which it is linked.
# Only the latter is a name that the exported package has.
function(ashlar_library_source target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;INCLUDE;DEFINITIONS")
  set(folder ${ASHLAR_LIBRARY_SOURCES}/${folder})
  list(TRANSFORM arg_SOURCES PREPEND ${folder}/)
  string(REGEX REPLACE "^.*:" "" library ${target})
  set(library library_${library})
  if(arg_SOURCES)
    add_library(${library} STATIC ${arg_SOURCES})
    # These are their authors' warnings, not ours. -O3 is their choice too.
    target_compile_options(${library} PRIVATE -w -O3)
    target_compile_definitions(${library} PRIVATE ${arg_DEFINITIONS})
    set(scope PUBLIC)
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${library} SYSTEM ${scope}
    ${folder}/${arg_INCLUDE} ${ASHLAR_LIBRARY_HEADERS})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(${target} INTERFACE ${library})
endfunction()

# ashlar_made_header(<template> <header>)
# Headers that the libraries' own builds make from a template.
set(ASHLAR_LIBRARY_HEADERS ${CMAKE_CURRENT_BINARY_DIR}/library_headers)
macro(ashlar_made_header template header)
  configure_file(${ASHLAR_LIBRARY_SOURCES}/${template}
    ${ASHLAR_LIBRARY_HEADERS}/${header})
endmacro()

ashlar_library_source(PkgConfig::ashlar_xxhash xxhash SOURCES xxhash.c)

file(GLOB ashlar_zstd_files RELATIVE ${ASHLAR_LIBRARY_SOURCES}/libzstd
  ${ASHLAR_LIBRARY_SOURCES}/libzstd/lib/common/*.c
  ${ASHLAR_LIBRARY_SOURCES}/libzstd/lib/compress/*.c
  ${ASHLAR_LIBRARY_SOURCES}/libzstd/lib/decompress/*.[cS]
  ${ASHLAR_LIBRARY_SOURCES}/libzstd/lib/dictBuilder/*.c)
ashlar_library_source(PkgConfig::ashlar_zstd libzstd INCLUDE lib
  SOURCES ${ashlar_zstd_files} DEFINITIONS ZSTD_LEGACY_SUPPORT=0)

ashlar_library_source(PkgConfig::ashlar_lz4 lz4 INCLUDE lib
  SOURCES lib/lz4.c lib/lz4hc.c)

ashlar_library_source(PkgConfig::ashlar_zlib zlib
  SOURCES adler32.c compress.c crc32.c deflate.c infback.c inffast.c inflate.c
    inftrees.c trees.c uncompr.c zutil.c
  DEFINITIONS HAVE_UNISTD_H HAVE_STDARG_H)

ashlar_library_source(BZip2::BZip2 bzip2
  SOURCES blocksort.c bzlib.c compress.c crctable.c decompress.c huffman.c
    randtable.c)

# snappy's build finds out what the compiler can do; of Clang it is known.
file(STRINGS ${ASHLAR_LIBRARY_SOURCES}/snappy/CMakeLists.txt PROJECT_VERSION
  REGEX "VERSION [0-9]+\\.[0-9]+\\.[0-9]+")
string(REGEX MATCHALL "[0-9]+" ashlar_snappy_version "${PROJECT_VERSION}")
list(GET ashlar_snappy_version 0 PROJECT_VERSION_MAJOR)
list(GET ashlar_snappy_version 1 PROJECT_VERSION_MINOR)
list(GET ashlar_snappy_version 2 PROJECT_VERSION_PATCH)
set(HAVE_SYS_UIO_H_01 1)
ashlar_made_header(snappy/snappy-stubs-public.h.in snappy-stubs-public.h)
ashlar_library_source(Snappy::snappy snappy
  SOURCES snappy.cc snappy-sinksource.cc snappy-stubs-internal.cc
  DEFINITIONS HAVE_ATTRIBUTE_ALWAYS_INLINE=1 HAVE_BUILTIN_CTZ=1
    HAVE_BUILTIN_EXPECT=1 HAVE_BUILTIN_PREFETCH=1 HAVE_SYS_UIO_H=1
    HAVE_UNISTD_H=1)

set(GFLAGS_NAMESPACE google)
set(GFLAGS_IS_A_DLL 0)
set(GFLAGS_INTTYPES_FORMAT_C99 1)
set(HAVE_STDINT_H 1)
set(HAVE_SYS_TYPES_H 1)
set(HAVE_INTTYPES_H 1)
set(HAVE_SYS_STAT_H 1)
set(HAVE_UNISTD_H 1)
set(HAVE_FNMATCH_H 1)
set(HAVE_STRTOLL 1)
set(HAVE_PTHREAD 1)
set(HAVE_RWLOCK 1)
set(ns gflags)
set(NS GFLAGS)
set(INCLUDE_GFLAGS_NS_H "#include \"gflags_gflags.h\"")
ashlar_made_header(gflags/src/defines.h.in defines.h)
foreach(header gflags gflags_declare gflags_completions)
  ashlar_made_header(gflags/src/${header}.h.in gflags/${header}.h)
endforeach()
ashlar_made_header(gflags/src/gflags_ns.h.in gflags/gflags_gflags.h)
ashlar_library_source(gflags gflags INCLUDE src
  SOURCES src/gflags.cc src/gflags_completions.cc src/gflags_reporting.cc)
target_include_directories(library_gflags SYSTEM PRIVATE
  ${ASHLAR_LIBRARY_HEADERS}/gflags)

ashlar_library_source(nlohmann_json::nlohmann_json nlohmann-json3
  INCLUDE include)

foreach(library ZSTD LZ4 ZLIB BZIP2 SNAPPY)
  set(ASHLAR_HAVE_${library} 1)
endforeach()
set(ASHLAR_HAVE_URING 0)
set(ASHLAR_HAVE_ARROW 0)

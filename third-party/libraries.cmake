# Finds the libraries that libashlar links. Used twice: by our own build, which
# decides which codecs are in, and, installed beside ashlarConfig.cmake, by a
# consumer of the static library, who needs the same ones.
#
# In:  ASHLAR_HAVE_<LIBRARY>, where already decided (by the installed package).
# Out: targets ashlar_xxhash, ashlar_zstd, ... ; ASHLAR_HAVE_<LIBRARY> as 0 or 1.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# ashlar_pkg(<target> <pkg-config module> [REQUIRED])
macro(ashlar_pkg target module)
  if(NOT TARGET PkgConfig::${target})
    pkg_check_modules(${target} ${ARGN} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
endmacro()

ashlar_pkg(ashlar_xxhash libxxhash REQUIRED)

if(NOT DEFINED ASHLAR_HAVE_ZSTD)
  ashlar_pkg(ashlar_zstd libzstd)
  set(ASHLAR_HAVE_ZSTD ${ashlar_zstd_FOUND})
elseif(ASHLAR_HAVE_ZSTD)
  ashlar_pkg(ashlar_zstd libzstd REQUIRED)
endif()

if(NOT DEFINED ASHLAR_HAVE_LZ4)
  ashlar_pkg(ashlar_lz4 liblz4)
  set(ASHLAR_HAVE_LZ4 ${ashlar_lz4_FOUND})
elseif(ASHLAR_HAVE_LZ4)
  ashlar_pkg(ashlar_lz4 liblz4 REQUIRED)
endif()

if(NOT DEFINED ASHLAR_HAVE_ZLIB)
  ashlar_pkg(ashlar_zlib zlib)
  set(ASHLAR_HAVE_ZLIB ${ashlar_zlib_FOUND})
elseif(ASHLAR_HAVE_ZLIB)
  ashlar_pkg(ashlar_zlib zlib REQUIRED)
endif()

# Not a codec: reads of several blocks at once, where the kernel allows it.
if(NOT DEFINED ASHLAR_HAVE_URING)
  ashlar_pkg(ashlar_uring liburing>=2.2)
  set(ASHLAR_HAVE_URING ${ashlar_uring_FOUND})
elseif(ASHLAR_HAVE_URING)
  ashlar_pkg(ashlar_uring liburing>=2.2 REQUIRED)
endif()

# Upstream bzip2 has no pkg-config file; CMake knows where it lies.
if(NOT DEFINED ASHLAR_HAVE_BZIP2)
  find_package(BZip2 QUIET)
  set(ASHLAR_HAVE_BZIP2 ${BZIP2_FOUND})
elseif(ASHLAR_HAVE_BZIP2)
  find_package(BZip2 REQUIRED)
endif()

# Upstream snappy has a CMake package and no pkg-config file.
if(NOT DEFINED ASHLAR_HAVE_SNAPPY)
  find_package(Snappy CONFIG QUIET)
  set(ASHLAR_HAVE_SNAPPY ${Snappy_FOUND})
elseif(ASHLAR_HAVE_SNAPPY)
  find_package(Snappy CONFIG REQUIRED)
endif()

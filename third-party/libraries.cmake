# Finds the libraries that libashlar links. Used by two builds: by our own, which
# decides which codecs it has, and, installed beside ashlarConfig.cmake, by a
# program that links the static library, which needs the same ones.
#
# In:  ASHLAR_HAVE_<LIBRARY>, if already decided (by the installed package).
# Out: targets PkgConfig::ashlar_xxhash, PkgConfig::ashlar_zstd, ...;
#      ASHLAR_HAVE_<LIBRARY>, false if there is none.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# ashlar_pkg(<target> <pkg-config module> [REQUIRED])
macro(ashlar_pkg target module)
  if(NOT TARGET PkgConfig::${target})
    pkg_check_modules(${target} ${ARGN} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
endmacro()

# ashlar_optional(<LIBRARY> <variable> <command> <argument>...)
# Runs the command, which sets the variable if it finds the library. If
# ASHLAR_HAVE_<LIBRARY> is already true, the library must be found. If it is
# false, it is not looked for.
macro(ashlar_optional library found command)
  string(JOIN " " ashlar_arguments ${ARGN})
  if(NOT DEFINED ASHLAR_HAVE_${library})
    cmake_language(EVAL CODE "${command}(${ashlar_arguments} QUIET)")
    set(ASHLAR_HAVE_${library} ${${found}})
  elseif(ASHLAR_HAVE_${library})
    cmake_language(EVAL CODE "${command}(${ashlar_arguments} REQUIRED)")
  endif()
endmacro()

ashlar_pkg(ashlar_xxhash libxxhash REQUIRED)
ashlar_optional(ZSTD ashlar_zstd_FOUND ashlar_pkg ashlar_zstd libzstd)
ashlar_optional(LZ4 ashlar_lz4_FOUND ashlar_pkg ashlar_lz4 liblz4)
ashlar_optional(ZLIB ashlar_zlib_FOUND ashlar_pkg ashlar_zlib zlib)
# Not a codec: reads several blocks at once, if the kernel allows it.
ashlar_optional(URING ashlar_uring_FOUND ashlar_pkg ashlar_uring liburing>=2.2)
# Upstream bzip2 has no pkg-config file, but CMake finds it.
ashlar_optional(BZIP2 BZIP2_FOUND find_package BZip2)
# Upstream snappy has a CMake package and no pkg-config file.
ashlar_optional(SNAPPY Snappy_FOUND find_package Snappy CONFIG)

# Finds Arrow C++ with its Parquet, for tools/arrow/module. Without it, the
# program is built all the same, and cannot read Arrow IPC and Parquet.
#
# In:  ASHLAR_PYARROW_ROOT, the folder `pyarrow` of Python's package of that
#      name, which has the library and its headers. If it is not set, a CMake
#      package of Arrow is looked for, unless -DASHLAR_HAVE_ARROW=0.
# Out: ASHLAR_HAVE_ARROW, and the target ashlar_arrow_cpp.
set(ASHLAR_PYARROW_ROOT "" CACHE PATH
  "The folder pyarrow of Python's package; empty: CMake's packages of Arrow")
set(ashlar_arrow_oldest 21)  # Tried: 26.0.1.

if(ASHLAR_PYARROW_ROOT)
  foreach(part arrow parquet)
    file(GLOB ashlar_${part} ${ASHLAR_PYARROW_ROOT}/lib${part}.so.*)
    list(LENGTH ashlar_${part} count)
    if(NOT count EQUAL 1)
      message(FATAL_ERROR "ASHLAR_PYARROW_ROOT: ${count} files "
        "${ASHLAR_PYARROW_ROOT}/lib${part}.so.*; expected one")
    endif()
  endforeach()
  file(STRINGS ${ASHLAR_PYARROW_ROOT}/include/arrow/util/config.h version
    REGEX "define ARROW_VERSION_STRING")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" Arrow_VERSION "${version}")
  add_library(ashlar_arrow_cpp INTERFACE)
  target_include_directories(ashlar_arrow_cpp SYSTEM INTERFACE
    ${ASHLAR_PYARROW_ROOT}/include)
  target_link_libraries(ashlar_arrow_cpp INTERFACE
    ${ashlar_parquet} ${ashlar_arrow})
  set(ASHLAR_HAVE_ARROW 1)
elseif(NOT DEFINED ASHLAR_HAVE_ARROW OR ASHLAR_HAVE_ARROW)
  find_package(Arrow CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
  set(ASHLAR_HAVE_ARROW 0)
  if(TARGET Arrow::arrow_shared AND TARGET Parquet::parquet_shared)
    add_library(ashlar_arrow_cpp INTERFACE)
    target_link_libraries(ashlar_arrow_cpp INTERFACE
      Parquet::parquet_shared Arrow::arrow_shared)
    set(ASHLAR_HAVE_ARROW 1)
  endif()
endif()
if(ASHLAR_HAVE_ARROW AND Arrow_VERSION VERSION_LESS ashlar_arrow_oldest)
  message(STATUS "Ashlar: Arrow ${Arrow_VERSION} is older than "
    "${ashlar_arrow_oldest}, and is not used")
  set(ASHLAR_HAVE_ARROW 0)
endif()
message(STATUS "Ashlar: Arrow IPC and Parquet: ${ASHLAR_HAVE_ARROW}")

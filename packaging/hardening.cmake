# What a build that others run is compiled and linked with, so that a fault in
# memory ends the process instead of running an attacker's code. Included by the
# top CMakeLists.txt; packages and the static program set it.
# packaging/check_hardening looks at the result.
option(ASHLAR_HARDEN "Stack protector, _FORTIFY_SOURCE, CET, RELRO and PIE" OFF)
if(NOT ASHLAR_HARDEN)
  return()
endif()
if(ASHLAR_SANITIZE)
  message(FATAL_ERROR "ASHLAR_HARDEN: not with ASHLAR_SANITIZE, whose checks "
                      "_FORTIFY_SOURCE takes away; unset one of them")
endif()

include(CheckCXXCompilerFlag)
# The last two are for one kind of CPU each: x86-64 and 64-bit ARM.
foreach(flag -fstack-protector-strong -fstack-clash-protection
        -fcf-protection=full -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "ASHLAR_COMPILES${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()
# It needs an optimised build. A level that the flags already have stays: that of
# a distribution may be higher.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND
   NOT CMAKE_CXX_FLAGS MATCHES "_FORTIFY_SOURCE")
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

# A static program asks for -static-pie, which a later -pie would undo.
if(NOT ASHLAR_STATIC_PROGRAM)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
endif()
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)

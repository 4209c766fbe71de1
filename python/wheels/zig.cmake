# The toolchain of the wheels: Clang, libc++ and glibc's symbols of 2.28, all of
# which PyPI's package ziglang has. A system's own compiler would link symbols
# of its own, newer glibc. Used by python/wheels/build.
#
# In: ASHLAR_WHEEL_COMPILERS, a folder that python/wheels/compilers made;
#     ASHLAR_WHEEL_MACHINE, x86_64 or aarch64;
#     ASHLAR_WHEEL_TARGET, what the compilers are for, as zig calls it.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES
  ASHLAR_WHEEL_COMPILERS ASHLAR_WHEEL_MACHINE ASHLAR_WHEEL_TARGET)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ASHLAR_WHEEL_MACHINE})
set(CMAKE_C_COMPILER ${ASHLAR_WHEEL_COMPILERS}/cc)
set(CMAKE_CXX_COMPILER ${ASHLAR_WHEEL_COMPILERS}/c++)
set(CMAKE_ASM_COMPILER ${ASHLAR_WHEEL_COMPILERS}/cc)
set(CMAKE_AR ${ASHLAR_WHEEL_COMPILERS}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${ASHLAR_WHEEL_COMPILERS}/ranlib CACHE FILEPATH "")
# With a target, CMake finds out what compiler it is without linking. Otherwise
# zig would first compile a libc++ for that, which nothing else uses.
set(CMAKE_C_COMPILER_TARGET ${ASHLAR_WHEEL_TARGET})
set(CMAKE_CXX_COMPILER_TARGET ${ASHLAR_WHEEL_TARGET})
# Nothing is linked before the wheel is: checks compile, and do not run.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# The linker strips: the system's strip may not know the machine.
foreach(kind EXE MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -Wl,-s)
endforeach()
# No library or header of the system is found.
set(CMAKE_FIND_ROOT_PATH ${ASHLAR_WHEEL_COMPILERS}/nothing)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

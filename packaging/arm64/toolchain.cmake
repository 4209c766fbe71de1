# The toolchain of `make arm64`: Debian's cross compiler for ARM64, the libraries
# that packaging/arm64/fetch has unpacked, and qemu, which runs the tests.
#
# In: ASHLAR_ARM64_SYSROOT, the folder that packaging/arm64/fetch made.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASHLAR_ARM64_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# The C library is the compiler's own, so this is no sysroot of the compiler.
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-isystem ${ASHLAR_ARM64_SYSROOT}/usr/include")
endforeach()
set(CMAKE_FIND_ROOT_PATH ${ASHLAR_ARM64_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# Only modules of the unpacked packages are found.
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ASHLAR_ARM64_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  ${ASHLAR_ARM64_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR
  qemu-aarch64-static;-L;/usr/aarch64-linux-gnu)

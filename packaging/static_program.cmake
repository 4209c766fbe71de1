# The program ashlar as one file that needs nothing of the system that it runs
# on, not even a C library. Included by the top CMakeLists.txt, before third-party/;
# `make static` sets it.
option(ASHLAR_STATIC_PROGRAM "The program ashlar has every library inside" OFF)
if(NOT ASHLAR_STATIC_PROGRAM)
  return()
endif()
# A static program cannot load a module, and Arrow's library is shared.
set(ASHLAR_HAVE_ARROW 0)
# Archives alone, in all of the searches of third-party/.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(GFLAGS_SHARED FALSE)
set(GFLAGS_NOTHREADS FALSE)

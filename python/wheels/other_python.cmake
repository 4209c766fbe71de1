# The Python that the extension module is for, if it is not the one that runs
# here: of another version, or for another machine. Takes the place of
# find_package(Python).
#
# In:  ASHLAR_PYTHON_ROOT, where Debian's packages of a Python are unpacked;
#      ASHLAR_PYTHON_MINOR, 13 for 3.13;
#      Python_EXECUTABLE, which runs here, and has nanobind.
# Out: the targets and variables that nanobind asks for.
set(ashlar_headers ${ASHLAR_PYTHON_ROOT}/usr/include)
set(Python_VERSION_MAJOR 3)
set(Python_VERSION_MINOR ${ASHLAR_PYTHON_MINOR})
set(Python_VERSION 3.${ASHLAR_PYTHON_MINOR})
set(Python_INTERPRETER_ID Python)
# The second folder has pyconfig.h for each machine.
set(Python_INCLUDE_DIRS ${ashlar_headers}/python${Python_VERSION}
  ${ashlar_headers})
if(NOT EXISTS ${ashlar_headers}/python${Python_VERSION}/Python.h)
  message(FATAL_ERROR "ASHLAR_PYTHON_ROOT: no "
    "${ashlar_headers}/python${Python_VERSION}/Python.h")
endif()
add_executable(Python::Interpreter IMPORTED)
set_target_properties(Python::Interpreter PROPERTIES
  IMPORTED_LOCATION ${Python_EXECUTABLE})
foreach(kind Module SABIModule)
  add_library(Python::${kind} INTERFACE IMPORTED)
  target_include_directories(Python::${kind} INTERFACE ${Python_INCLUDE_DIRS})
endforeach()
# How the file of the module is named.
set(SKBUILD_SOABI
  cpython-3${ASHLAR_PYTHON_MINOR}-${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(SKBUILD_SOSABI abi3)
# glibc before 2.40 may lose vector registers with these.
set(NB_HAS_MTLS_GNU2 OFF CACHE INTERNAL "")

// The extension module ashlar._core: what the package is made of, bound to
// Python. Its users are the modules of the package; it is no public interface.

#include <nanobind/nanobind.h>

#include "python/src/bindings.h"
#include "python/src/python_exit.h"

NB_MODULE(_core, module) {
  ashlar::python::BindRows(module);
  ashlar::python::BindWriters(module);
  ashlar::python::BindTables(module);
  ashlar::python::BindKeys(module);
  module.def("end_calls", &ashlar::python::EndCalls);
}

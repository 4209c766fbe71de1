// The parts of the extension module, one function each.
#ifndef ASHLAR_PYTHON_SRC_BINDINGS_H_
#define ASHLAR_PYTHON_SRC_BINDINGS_H_

#include <nanobind/nanobind.h>

namespace ashlar::python {

void BindRows(nanobind::module_& module);     // RowForm, Array, Stream
void BindWriters(nanobind::module_& module);  // TableWriter, SetWriter
void BindTables(nanobind::module_& module);   // Tables
void BindKeys(nanobind::module_& module);     // encodings of keys

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_BINDINGS_H_

// Options of the library from a dict of Python: name to value, as
// docs/python.md says. With the GIL.
#ifndef ASHLAR_PYTHON_SRC_OPTION_VALUES_H_
#define ASHLAR_PYTHON_SRC_OPTION_VALUES_H_

#include <nanobind/nanobind.h>

#include "ashlar/table/options.h"
#include "ashlar/table/reader_options.h"

namespace ashlar::python {

// Set the options that the dict names. Throw the exception of InvalidArgument
// for a name that no option has, and for a value that is not allowed.
void SetWriteOptions(const nanobind::dict& given, TableOptions* table,
                     BuildOptions* build);
void SetReadOptions(const nanobind::dict& given, ReaderOptions* reader);

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_OPTION_VALUES_H_

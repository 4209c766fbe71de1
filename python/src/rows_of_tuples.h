// Batches of rows that Python gives as tuples. With the GIL.
#ifndef ASHLAR_PYTHON_SRC_ROWS_OF_TUPLES_H_
#define ASHLAR_PYTHON_SRC_ROWS_OF_TUPLES_H_

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "python/src/python_rows.h"

namespace ashlar::python {

// Makes a batch of the rows, which are tuples or lists of equal length. The
// type of a column is that of `formats` (of Arrow's C data interface), or if
// that is empty, that of its first value that is not None: bytes, str, bool,
// int (64 bits), float, date or datetime. Sets `formats` to the types, for the
// next batch. `first_row` is the number of the first row, for messages. Throws
// the exception of InvalidArgument for a value of another type.
PythonBatch BatchOfTuples(const nanobind::list& rows,
                          const std::vector<std::string>& names,
                          uint64_t first_row, nanobind::list formats);

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_ROWS_OF_TUPLES_H_

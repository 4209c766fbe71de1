// The objects of Python that hand out columns, batches and streams by Arrow's
// PyCapsule interface, and what the bindings share. With the GIL.
#ifndef ASHLAR_PYTHON_SRC_PYTHON_ROWS_H_
#define ASHLAR_PYTHON_SRC_PYTHON_ROWS_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "ashlar/util/slice.h"
#include "python/src/arrow_output.h"
#include "python/src/row_maker.h"
#include "python/src/row_stream.h"

namespace ashlar::python {

// One column.
struct PythonArray {
  std::shared_ptr<const OutputBatch> batch;
  size_t column = 0;
};

// Rows of several columns.
struct PythonBatch {
  std::shared_ptr<const OutputBatch> batch;
  std::vector<OutputType> types;
};

// Can be used once: by a consumer of the stream, or by iteration. The consumer
// may read on any thread and without the GIL.
struct PythonStream {
  std::shared_ptr<RowStream> rows;
  bool is_begun = false;     // by iteration
  bool is_exported = false;  // to a consumer
  bool is_used = false;      // by a call at this moment
};

inline Slice BytesOf(const nanobind::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}
inline nanobind::bytes ToBytes(const Slice& bytes) {
  return nanobind::bytes(bytes.data(), bytes.size());
}

// The tuple (key, value, kind, salt) of the package's Python code.
RowForm FormOf(const nanobind::handle& form);

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_PYTHON_ROWS_H_

// ArrowInput: batches of rows that Python objects hand over by the PyCapsule
// interface of Arrow.
//
// The source is an object with `__arrow_c_stream__` or `__arrow_c_array__`, or
// an iterator of objects with `__arrow_c_array__`. An array that is no struct
// counts as rows of one column. One thread at a time.
#ifndef ASHLAR_PYTHON_SRC_ARROW_INPUT_H_
#define ASHLAR_PYTHON_SRC_ARROW_INPUT_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "ashlar/util/status.h"
#include "python/src/call_watch.h"
#include "tools/arrow/c_data.h"

namespace ashlar::python {

// Owns a struct of the C data interface, and releases it.
template <typename Struct>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Release(); }

  void Release() {
    if (value_.release != nullptr) value_.release(&value_);
    value_ = {};
  }
  // Takes over what *from has.
  void Take(Struct* from) {
    Release();
    value_ = *from;
    from->release = nullptr;
  }
  bool empty() const { return value_.release == nullptr; }
  Struct* get() { return &value_; }
  const Struct* get() const { return &value_; }

 private:
  Struct value_ = {};
};

class ArrowInput {
 public:
  // With the GIL. Throws TypeError for an object that is no source.
  ArrowInput(const nanobind::object& source, std::shared_ptr<CallWatch> watch);
  // With the GIL.
  ~ArrowInput() = default;

  // The schema of rows. Null until a batch was read from an iterator, and if it
  // has none.
  const ArrowSchema* schema() const;

  // Sets *batch to the next batch, or to null at the end. It lives until the
  // next call. Called without the GIL. Exceptions of Python code are kept.
  Status Next(const ArrowArray** batch);

 private:
  Status NextOfStream();
  Status NextOfIterator();
  void TakeArray(const nanobind::object& source);

  const std::shared_ptr<CallWatch> watch_;
  nanobind::object iterator_;
  Owned<ArrowArrayStream> stream_;
  Owned<ArrowSchema> schema_;
  Owned<ArrowArray> array_;
  bool has_array_ = false;  // that Next has not returned yet
  // A struct of one column, around an array that is none.
  ArrowSchema row_schema_ = {};
  ArrowSchema* row_schema_child_ = nullptr;
  ArrowArray row_array_ = {};
  ArrowArray* row_array_child_ = nullptr;
  const void* no_validity_ = nullptr;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_ARROW_INPUT_H_

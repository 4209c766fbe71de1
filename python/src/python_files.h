// Files of the library that are objects of Python.
//
// The library calls them on any thread, without the GIL, which they take. So no
// thread may wait for the library while it has the GIL.
#ifndef ASHLAR_PYTHON_SRC_PYTHON_FILES_H_
#define ASHLAR_PYTHON_SRC_PYTHON_FILES_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "python/src/call_watch.h"

namespace ashlar::python {

// Writes to an object with `write`. Never closes it. Exceptions are kept in
// `watch`, and become IOError.
class PythonWritableFile final : public WritableFile {
 public:
  // With the GIL.
  PythonWritableFile(const nanobind::object& object, std::string name,
                     std::shared_ptr<CallWatch> watch);
  ~PythonWritableFile() override;

  Status Append(const Slice& data) override;
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return name_; }

 private:
  nanobind::object write_;
  const std::string name_;
  const std::shared_ptr<CallWatch> watch_;
};

// Reads by an object with `read_at(offset, size)`, which returns bytes, and
// with `size` and `name`.
class PythonReadableFile final : public RandomAccessFile {
 public:
  PythonReadableFile(const nanobind::object& object,
                     std::shared_ptr<CallWatch> watch);
  ~PythonReadableFile() override;

  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override;
  uint64_t Size() const override { return size_; }
  std::string name() const override { return name_; }

 private:
  nanobind::object read_at_;
  uint64_t size_;
  std::string name_;
  const std::shared_ptr<CallWatch> watch_;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_PYTHON_FILES_H_

#include "python/src/python_files.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "python/src/python_exit.h"

namespace ashlar::python {

namespace nb = nanobind;

namespace {

Status Failed(const char* operation, const std::string& name,
              nb::python_error& error, CallWatch* watch) {
  watch->Keep(error);
  return Status::IOError(std::string(operation) + " " + name + ": " +
                         error.what());
}

}  // namespace

PythonWritableFile::PythonWritableFile(const nb::object& object,
                                       std::string name,
                                       std::shared_ptr<CallWatch> watch)
    : write_(object.attr("write")),
      name_(std::move(name)),
      watch_(std::move(watch)) {}

PythonWritableFile::~PythonWritableFile() {
  nb::gil_scoped_acquire gil;
  write_.reset();
}

// An object may keep what it gets, so each piece is an object of its own. A raw
// file may write less than it was given, and says how much.
Status PythonWritableFile::Append(const Slice& data) {
  const PythonCall call;
  if (!call.may_call()) return PythonCall::Ended();
  nb::gil_scoped_acquire gil;
  try {
    Slice rest = data;
    while (!rest.empty()) {
      const nb::object result = write_(nb::bytes(rest.data(), rest.size()));
      size_t written = rest.size();
      if (nb::isinstance<nb::int_>(result)) {
        written = std::min(written, nb::cast<size_t>(result));
      }
      if (written == 0) {
        return Status::IOError("write " + name_ + ": nothing was written");
      }
      rest.remove_prefix(written);
    }
    return {};
  } catch (nb::python_error& error) {
    return Failed("write", name_, error, watch_.get());
  } catch (const std::exception&) {
    return Status::IOError("write " + name_ +
                           ": write() did not return a number of bytes");
  }
}

PythonReadableFile::PythonReadableFile(const nb::object& object,
                                       std::shared_ptr<CallWatch> watch)
    : read_at_(object.attr("read_at")),
      size_(nb::cast<uint64_t>(object.attr("size"))),
      name_(nb::cast<std::string>(object.attr("name"))),
      watch_(std::move(watch)) {}

PythonReadableFile::~PythonReadableFile() {
  nb::gil_scoped_acquire gil;
  read_at_.reset();
}

Status PythonReadableFile::Read(uint64_t offset, size_t n, char* scratch,
                                Slice* data) const {
  *data = Slice(scratch, 0);
  if (offset >= size_) return {};
  n = static_cast<size_t>(std::min<uint64_t>(n, size_ - offset));
  const PythonCall call;
  if (!call.may_call()) return PythonCall::Ended();
  nb::gil_scoped_acquire gil;
  try {
    const nb::object result = read_at_(offset, n);
    Py_buffer view;
    if (PyObject_GetBuffer(result.ptr(), &view, PyBUF_SIMPLE) != 0) {
      throw nb::python_error();
    }
    const auto got = static_cast<size_t>(view.len);
    if (got <= n) std::memcpy(scratch, view.buf, got);
    PyBuffer_Release(&view);
    if (got != n) {
      return Status::IOError("read " + name_ + ": got " + std::to_string(got) +
                             " bytes at offset " + std::to_string(offset) +
                             ", expected " + std::to_string(n));
    }
    *data = Slice(scratch, n);
    return {};
  } catch (nb::python_error& error) {
    return Failed("read", name_, error, watch_.get());
  } catch (const std::exception& error) {
    return Status::IOError("read " + name_ + ": " + error.what());
  }
}

}  // namespace ashlar::python

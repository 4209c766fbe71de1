#include "python/src/row_stream.h"

#include <nanobind/nanobind.h>

#include <cerrno>
#include <utility>

namespace ashlar::python {

namespace nb = nanobind;

namespace {

struct StreamParts {
  std::shared_ptr<RowStream> rows;
  std::string error;
};

StreamParts* PartsOf(ArrowArrayStream* stream) {
  return static_cast<StreamParts*>(stream->private_data);
}

int CodeOf(const Status& status) {
  if (status.IsMemoryLimit()) return ENOMEM;
  return status.IsIOError() ? EIO : EINVAL;
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  try {
    ExportType(PartsOf(stream)->rows->types(), out);
    return 0;
  } catch (...) {
    return ENOMEM;
  }
}

// A consumer may call with the GIL or without. It gets no exceptions of Python,
// so none must be left in the watch, which other calls use too.
//
// A batch takes less time than there is between two looks of Poll, so each one
// begins with a look.
int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  StreamParts* const parts = PartsOf(stream);
  try {
    const nb::gil_scoped_acquire gil;
    CallWatch* const watch = parts->rows->watch();
    watch->Begin();
    std::shared_ptr<OutputBatch> batch;
    Status status;
    if (watch->Look()) {
      status = Status::Aborted("interrupted");
    } else {
      const nb::gil_scoped_release release;  // others need it to read files
      status = parts->rows->Next(&batch);
    }
    if (!status.ok()) {
      parts->error = watch->TextOf(status);
      return CodeOf(status);
    }
    *out = {};
    if (batch != nullptr) ExportBatch(std::move(batch), out);
    return 0;
  } catch (...) {
    return ENOMEM;
  }
}

const char* GetLastError(ArrowArrayStream* stream) {
  const std::string& error = PartsOf(stream)->error;
  return error.empty() ? nullptr : error.c_str();
}

void Release(ArrowArrayStream* stream) {
  delete PartsOf(stream);
  stream->release = nullptr;
}

}  // namespace

void ExportStream(std::shared_ptr<RowStream> rows, ArrowArrayStream* stream) {
  auto parts = std::make_unique<StreamParts>();
  parts->rows = std::move(rows);
  stream->get_schema = GetSchema;
  stream->get_next = GetNext;
  stream->get_last_error = GetLastError;
  stream->release = Release;
  stream->private_data = parts.release();
}

}  // namespace ashlar::python

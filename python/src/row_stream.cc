#include "python/src/row_stream.h"

#include <nanobind/nanobind.h>

#include <cerrno>
#include <utility>

namespace ashlar::python {

namespace {

struct StreamParts {
  std::shared_ptr<RowStream> rows;
  std::string error;
};

// Gives the GIL away, whether or not the thread has it: a consumer may call
// with it or without, and reads of Python files need it on other threads.
class WithoutGil {
 public:
  WithoutGil() : before_(PyGILState_Ensure()), thread_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    PyEval_RestoreThread(thread_);
    PyGILState_Release(before_);
  }

 private:
  PyGILState_STATE before_;
  PyThreadState* thread_;
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

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  StreamParts* const parts = PartsOf(stream);
  try {
    std::shared_ptr<OutputBatch> batch;
    const WithoutGil without;
    const Status status = parts->rows->Next(&batch);
    if (!status.ok()) {
      parts->error = status.ToString();
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

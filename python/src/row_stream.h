// RowStream: batches of rows, one after the other, that Python or a consumer of
// the C stream interface asks for.
#ifndef ASHLAR_PYTHON_SRC_ROW_STREAM_H_
#define ASHLAR_PYTHON_SRC_ROW_STREAM_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "python/src/arrow_output.h"
#include "python/src/call_watch.h"

namespace ashlar::python {

// One thread at a time.
class RowStream {
 public:
  virtual ~RowStream() = default;

  virtual const std::vector<OutputType>& types() const = 0;
  // Sets *batch to the next batch, or to null at the end. Without the GIL.
  virtual Status Next(std::shared_ptr<OutputBatch>* batch) = 0;
  virtual CallWatch* watch() = 0;
  // What is read, for messages.
  virtual std::string name() const = 0;
};

// Fills *stream, which then owns `rows`.
void ExportStream(std::shared_ptr<RowStream> rows, ArrowArrayStream* stream);

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_ROW_STREAM_H_

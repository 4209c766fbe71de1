// AddBatches: passes every row of an input on, for the writers.
#ifndef ASHLAR_PYTHON_SRC_ADD_BATCHES_H_
#define ASHLAR_PYTHON_SRC_ADD_BATCHES_H_

#include "python/src/arrow_input.h"
#include "python/src/call_watch.h"
#include "python/src/row_maker.h"

namespace ashlar::python {

// Calls add(key, value) for each row, until that returns an error, or the watch
// says that the call must end. Without the GIL.
template <typename Add>
Status AddBatches(ArrowInput* input, RowMaker* rows, CallWatch* watch,
                  const Add& add) {
  constexpr uint64_t kRowsBetweenLooks = 4096;
  uint64_t until_look = kRowsBetweenLooks;
  const ArrowArray* batch = nullptr;
  bool is_prepared = false;
  for (;;) {
    Status status = input->Next(&batch);
    if (!status.ok()) return status;
    if (!is_prepared && input->schema() != nullptr) {
      status = rows->Prepare(*input->schema());
      if (!status.ok()) return status;
      is_prepared = true;
    }
    if (batch == nullptr) return {};
    status = rows->ForEach(*batch, [&](const Slice& key, const Slice& value) {
      if (--until_look == 0) [[unlikely]] {
        until_look = kRowsBetweenLooks;
        if (watch->Poll()) return Status::Aborted("interrupted");
      }
      return add(key, value);
    });
    if (!status.ok()) return status;
    if (watch->Poll()) return Status::Aborted("interrupted");
  }
}

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_ADD_BATCHES_H_

// RowSorter: sorts any number of rows within a limit of memory.
//
// There are two buffers: while one is filled, a second thread sorts the other
// and writes it to disk as a run. If all rows fit into the first buffer,
// nothing is written. One thread at a time may call.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_SORTER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_SORTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "ashlar/util/comparator.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/rows/background_call.h"
#include "tools/ashlar/rows/row.h"
#include "tools/ashlar/rows/row_buffer.h"
#include "tools/ashlar/rows/sorted_entry.h"
#include "tools/ashlar/rows/sorted_runs.h"

namespace ashlar::tool {

class RowSorter {
 public:
  // `external` says how rows are compared: see CompareRows. `memory` is in
  // bytes. The comparator must outlive this.
  RowSorter(const Comparator* comparator, bool external, uint64_t memory);

  // Adds a row. `number` must increase from row to row. Returns errors of the
  // scratch files, and Aborted if interrupted. Requires: the key is at least as
  // long as the comparator's timestamps.
  Status Add(const Row& row, uint64_t number);

  // Calls `take` with all rows in the order of the table, until it returns an
  // error. Equal rows come in the order of their numbers. The rows have no
  // places. To be called once, after the last Add.
  using Take = std::function<Status(const Row& row, uint64_t number)>;
  Status ForEach(const Take& take);

 private:
  Status HandOver();
  Status ForEachInMemory(const SortedRuns::Take& take);

  const SortedEntryForm form_;
  RowBuffer filled_;
  RowBuffer written_;
  SortedRuns runs_;
  BackgroundCall writing_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_SORTER_H_

// RowSorter: sorts any number of rows within an amount of memory.
//
// Two buffers: while one is filled, a second thread sorts the other and writes
// it out as a run. Rows that fit into the first are never written. One thread
// at a time calls.
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
  // `external` says what is compared: see OrderedRows. The comparator must
  // outlive this.
  RowSorter(const Comparator* comparator, bool external, uint64_t memory);

  // Errors are of the scratch files; Aborted when interrupted. Numbers rise.
  // The key must be as long as the comparator's timestamps.
  Status Add(const Row& row, uint64_t number);

  // Once, after all: the rows in the order of the table, equal ones in that of
  // their numbers, until take is not ok; rows have no places.
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

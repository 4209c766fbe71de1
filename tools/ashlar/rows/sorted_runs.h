// SortedRuns: sorted rows in scratch files, each a table of sorted entries.
//
// Merges them when there are more than can be merged at once, or be open: the
// smallest first, so that no row is copied more often than it must. Nothing of
// them is left however the program ends. One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_RUNS_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/rows/row_buffer.h"
#include "tools/ashlar/rows/sorted_entry.h"

namespace ashlar::tool {

class SortedRuns {
 public:
  // `memory` is what a merge may take. The form must outlive this.
  SortedRuns(const SortedEntryForm* form, size_t memory);

  bool empty() const { return runs_.empty(); }
  // The rows become a run. Aborted when interrupted.
  Status Add(const RowBuffer& rows);
  // After all: merges until one more merge has them all.
  Status Prepare();
  // That merge: the entries in order.
  using Take = std::function<Status(const Slice& key, const Slice& value)>;
  Status ForEach(const Take& take);

 private:
  using Run = std::unique_ptr<RandomAccessFile>;

  template <typename Fill>
  Result<Run> Write(Fill fill) const;
  // Of the last `count` runs, which are then gone.
  Status MergeLast(size_t count, const Take& take);
  Status MergeSmallest(size_t count);

  const SortedEntryForm* const form_;
  const size_t fan_in_;
  const size_t most_runs_;  // that can be open
  std::vector<Run> runs_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_RUNS_H_

// SortedRuns: sorted rows in scratch files, each of which is a table of sorted
// entries.
//
// If there are more runs than can be merged at once, or than can be open, some
// are merged first: the smallest ones, so that rows are copied as rarely as
// possible. However the program ends, the files disappear. For one thread at a
// time.
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
  // `memory` is the limit of a merge, in bytes. `form` must outlive this.
  SortedRuns(const SortedEntryForm* form, size_t memory);

  bool empty() const { return runs_.empty(); }
  // Writes the rows as a run. Returns Aborted if interrupted.
  Status Add(const RowBuffer& rows);
  // To be called after the last Add. Merges runs until a single merge can take
  // all that are left.
  Status Prepare();
  // Does that merge: calls `take` with the entries in order.
  using Take = std::function<Status(const Slice& key, const Slice& value)>;
  Status ForEach(const Take& take);

 private:
  using Run = std::unique_ptr<RandomAccessFile>;

  template <typename Fill>
  Result<Run> Write(Fill fill) const;
  // Merges the last `count` runs, and removes them.
  Status MergeLast(size_t count, const Take& take);
  Status MergeSmallest(size_t count);

  const SortedEntryForm* const form_;
  const size_t fan_in_;
  const size_t most_runs_;  // how many can be open
  std::vector<Run> runs_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_RUNS_H_

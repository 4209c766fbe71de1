// SortedRuns: sorted entries in scratch files, each of which is a table of
// stored entries (stored_form.h).
//
// If there are more runs than can be merged at once, or than can be open, some
// are merged first: the smallest ones, so that entries are copied as rarely as
// possible. However the process ends, the files disappear. For one thread at a
// time, except for the counts.
#ifndef ASHLAR_TABLE_SORT_SORTED_RUNS_H_
#define ASHLAR_TABLE_SORT_SORTED_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/sort/entry_buffer.h"
#include "table/sort/stored_form.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class SortedRuns {
 public:
  struct Options {
    std::string folder;
    size_t memory = 0;  // the limit of a merge, in bytes
    // May be empty.
    std::function<bool()> is_cancelled;
  };

  // `form` must outlive this.
  SortedRuns(const StoredForm* form, Options options);

  bool empty() const { return runs_.empty(); }
  // Writes the entries, whose pieces are sorted, as a run. Returns Aborted if
  // cancelled.
  Status Add(const EntryBuffer& entries);
  // To be called after the last Add. Merges runs until a single merge can take
  // all that are left.
  Status Prepare();
  // Does that merge: calls `take` with the stored entries in order.
  using Take = std::function<Status(const Slice& key, const Slice& value)>;
  Status ForEach(const Take& take);

  // Any thread may call these: what was written.
  uint64_t runs_written() const { return runs_written_.Load(); }
  uint64_t bytes_written() const { return bytes_written_.Load(); }

 private:
  using Run = std::unique_ptr<RandomAccessFile>;

  Status CheckCancelled(uint64_t entries) const;
  template <typename Fill>
  Result<Run> Write(Fill fill);
  // Merges the last `count` runs, and removes them.
  Status MergeLast(size_t count, const Take& take);
  Status MergeSmallest(size_t count);

  const StoredForm* const form_;
  const Options options_;
  const size_t fan_in_;
  const size_t most_runs_;  // how many can be open
  std::vector<Run> runs_;
  RelaxedAtomic<uint64_t> runs_written_;
  RelaxedAtomic<uint64_t> bytes_written_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_SORTED_RUNS_H_

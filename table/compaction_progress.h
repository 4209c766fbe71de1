// CompactionProgress: how far a compaction is, and how to stop it.
//
// The thread that compacts passes one to CompactTables
// (CompactionOptions::progress). Other threads read it, for a progress bar or
// an event log, and may cancel the compaction: RocksDB's
// "CompactRangeOptions::canceled". One object may serve several compactions,
// one after the other or at once: it then counts all of them, and cancels all.
//
// Any number of threads may use it at once. It must outlive the compactions.
#ifndef ASHLAR_TABLE_COMPACTION_PROGRESS_H_
#define ASHLAR_TABLE_COMPACTION_PROGRESS_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/export.h"

namespace ashlar {

// How much a compaction has done.
struct CompactionAmounts {
  // Estimate of the input_bytes that there will be at the end. Too large if a
  // filter skips keys (kRemoveAndSkipUntil), which are then never read.
  uint64_t expected_bytes = 0;
  // Entries that were taken from the inputs, and the bytes of their internal
  // keys and values. Range deletions are not counted.
  uint64_t input_entries = 0;
  uint64_t input_bytes = 0;
  // Entries that were written, range deletions not counted; the bytes of the
  // files that they are in; and how many files are complete.
  uint64_t output_entries = 0;
  uint64_t output_bytes = 0;
  uint64_t outputs = 0;

  // Returns the estimate of what is still to be read.
  uint64_t RestBytes() const {
    return expected_bytes > input_bytes ? expected_bytes - input_bytes : 0;
  }
};

class ASHLAR_EXPORT CompactionProgress {
 public:
  // May throw std::bad_alloc.
  CompactionProgress();
  CompactionProgress(const CompactionProgress&) = delete;
  CompactionProgress& operator=(const CompactionProgress&) = delete;
  ~CompactionProgress();

  // Ends the compactions, those that begin later too: each returns Incomplete,
  // once it has taken at most 4 KiB more of its inputs, or one entry if that is
  // larger. Does not wait for that.
  void Cancel();
  bool IsCanceled() const;

  // Returns what was counted. It is up to date whenever a compaction has taken
  // 4 KiB of its inputs, and at its end. The numbers are read one by one, so
  // they may be of slightly different moments.
  CompactionAmounts Amounts() const;

  // Adds to each amount. CompactTables calls it; so may an engine's own loop
  // over a CompactionIterator.
  void Add(const CompactionAmounts& more);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_COMPACTION_PROGRESS_H_

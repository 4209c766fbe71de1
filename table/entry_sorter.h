// EntrySorter: sorts any number of entries within a limit of memory.
//
// For bulk loads whose entries come in any order. SortedTableWriter
// (table/sorted_table_writer.h) makes tables of them; use this class if you
// write the entries yourself:
//
//   auto sorter = ashlar::EntrySorter::Create({.memory = uint64_t{1} << 30});
//   if (!sorter.ok()) return sorter.status();
//   ashlar::Status status = (*sorter)->Add({.user_key = "b", .value = "2"});
//   if (status.ok()) status = (*sorter)->Add({.user_key = "a", .value = "1",
//                                             .number = 1});
//   if (status.ok()) {
//     status = (*sorter)->ForEach([](const ashlar::SortEntry& entry) {
//       use(entry.user_key, entry.value);  // a, then b
//       return ashlar::Status();
//     });
//   }
//
// Entries are collected in a buffer. While the caller fills it, other threads
// sort the pieces that are full. A buffer that is full is written to a scratch
// file (util/scratch_file.h) as a sorted run, by another thread, while the
// caller fills a second buffer. ForEach merges the runs. If all entries fit
// into one buffer, nothing is written. Each entry of a run is written and read
// once, or a few times if there are more runs than `memory` can merge at once,
// or than the process may have open.
//
// The order does not depend on the number of threads, on `memory` or on chance.
// Equal entries keep the order in which they were added.
//
// One thread at a time may use a sorter, except for progress(). Does not join
// equal entries.
#ifndef ASHLAR_TABLE_ENTRY_SORTER_H_
#define ASHLAR_TABLE_ENTRY_SORTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"

namespace ashlar {

// An entry that is sorted. Any type is possible; range deletions are entries
// like others here.
struct SortEntry {
  Slice user_key;
  Slice value;
  // 0 unless EntrySorterOptions::internal_keys is set.
  SequenceNumber sequence = 0;
  ValueType type = ValueType::kTypeValue;
  // Anything that tells the caller where the entry came from, at most
  // kMaxSequenceNumber. Must increase from entry to entry. Of entries that are
  // equal otherwise, the one with the smaller number comes first.
  uint64_t number = 0;
};

// How entries are ordered, and how much memory they may take.
struct EntrySorterOptions {
  // The order of user keys. Must outlive the sorter.
  const Comparator* comparator = BytewiseComparator();

  // Whether entries have sequence numbers, and are sorted by internal keys: by
  // user key, and the newest first. Default: false: entries are sorted by user
  // key alone, and the type goes with the value.
  bool internal_keys = false;

  // The limit for buffers, and for what a merge of runs needs, in bytes.
  // Default: 512 MiB. Less than 64 KiB counts as 64 KiB. An entry larger than a
  // buffer needs more memory for itself. Pages that no entry fills take address
  // space only.
  uint64_t memory = uint64_t{512} << 20;

  // About how many bytes all keys and values have, if that is known: for speed
  // only. Entries that `memory` cannot hold are then sorted in a part of it, of
  // which the system has fewer pages to clear, and which is full, and can be
  // written, earlier. A size that is much too large makes scratch files of
  // entries that would fit. Default: 0: not known. ExpectBytes may say it
  // later.
  uint64_t expected_bytes = 0;

  // The folder for scratch files. They need as much space as all entries
  // together, and twice that for a moment if runs must be merged before the
  // last merge. Empty, the default: DefaultScratchFolder (util/scratch_file.h).
  std::string temp_folder;

  // The number of threads that sort and write runs, the calling one included.
  // 0, the default: one for each processor, at most 8. More than 256 count as
  // 256. With 1 the caller does it all, and there is one buffer in place of
  // two. Threads start when the first piece of a buffer is full: a small input
  // starts none.
  uint32_t threads = 0;
  // Where the other threads come from; `threads` is then ignored. A worker
  // stays as long as it takes to write one run. Must outlive the sorter. Null,
  // the default: threads of the sorter's own.
  WorkerPool* worker_pool = nullptr;

  // Asked now and then by each thread that writes or merges. If it returns
  // true, the work ends with Aborted. Must be thread-safe, and must not throw.
  // Empty, the default: never.
  std::function<bool()> is_cancelled;
};

// What a sorter has done so far.
struct SortProgress {
  uint64_t entries = 0;      // that were added
  uint64_t entry_bytes = 0;  // their keys and values
  uint64_t runs = 0;         // that were written to scratch files
  uint64_t run_bytes = 0;    // their size
  uint64_t merged = 0;       // entries that ForEach has passed on
};

class ASHLAR_EXPORT EntrySorter {
 public:
  // Returns InvalidArgument if there is no comparator, or MemoryLimit. Nothing
  // is allocated yet for entries.
  static Result<std::unique_ptr<EntrySorter>> Create(
      const EntrySorterOptions& options);
  EntrySorter(const EntrySorter&) = delete;
  EntrySorter& operator=(const EntrySorter&) = delete;
  // Waits for the other threads. The scratch files disappear.
  ~EntrySorter();

  // Copies the entry. Returns InvalidArgument, and adds nothing, if the key is
  // shorter than the comparator's timestamps, if the key is larger than
  // TableBuilder::kMaxUserKeyBytes - 8 or the value not smaller than
  // TableBuilder::kMaxValueBytes, or if the number is not above that of the
  // last entry. Returns IOError if a scratch file cannot be made or written,
  // MemoryLimit if memory runs out, Aborted if cancelled; these may come from
  // an earlier run. After them, every call returns an error. Also
  // InvalidArgument after ForEach.
  Status Add(const SortEntry& entry);

  // Replaces EntrySorterOptions::expected_bytes, for a caller that can tell
  // only when some entries were added. To be called by the thread that calls
  // Add.
  void ExpectBytes(uint64_t bytes);

  // Calls `take` with all entries in order, until it returns an error, which
  // this then returns. The slices live until `take` returns. To be called once,
  // after the last Add. Other errors: those of Add, and Corruption if a scratch
  // file was damaged.
  Status ForEach(const std::function<Status(const SortEntry& entry)>& take);

  // Any thread may call it at any time.
  SortProgress progress() const;

 private:
  struct State;
  explicit EntrySorter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_SORTER_H_

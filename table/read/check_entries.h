// EntryCheck: checks whether a walk over all entries of a table comes to its
// end.
//
// For TableReader::CheckEntries. It reports exactly what an iterator would that
// goes from the first entry to the last: how many entries it shows, and the
// error at which it stops.
//
// Data flow. The data blocks are cut into runs of about readahead_size bytes of
// the file. Every thread applies the same rule to the index, with a cursor of
// its own. The threads are the caller, and workers of the pool that come in
// time. Each takes the number of the next run, moves its cursor there, reads
// the run in one piece, and passes over its blocks with the steps of an
// iterator (TableIterator::PassBlock). These compare both ends of each block
// with the separators around it. So the order from block to block is checked
// without the neighbours.
//
// Which fault is reported. It is the first fault in the order of the file,
// whichever thread comes to one first: runs after a fault are no longer begun,
// and those before it are finished. Entries are counted by runs, so that those
// after the fault can be left out. If the index cannot be read any further,
// that counts as a fault after the last block that it named.
//
// Who owns what. A Thread, and all it points to, belongs to one thread. Shared
// are the number of the next run; the fault, which a mutex guards, and the
// number of its run, which is also a hint to other threads; and whether to give
// up. Only the calling thread asks on_progress about that.
//
// Memory: a run and a decompressed block per thread.
#ifndef ASHLAR_TABLE_READ_CHECK_ENTRIES_H_
#define ASHLAR_TABLE_READ_CHECK_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "ashlar/table/read_options.h"
#include "ashlar/util/status.h"
#include "ashlar/util/sync/mutex.h"
#include "ashlar/util/sync/thread_number.h"
#include "ashlar/util/worker_pool.h"
#include "table/read/opened_table.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class EntryCheck {
 public:
  using OnProgress = std::function<bool(uint64_t done, uint64_t total)>;

  // Requires: all three outlive this.
  EntryCheck(const OpenedTable* table, const ReadOptions& options,
             const OnProgress& on_progress);
  EntryCheck(const EntryCheck&) = delete;
  EntryCheck& operator=(const EntryCheck&) = delete;
  ~EntryCheck();

  // Runs the check. To be called once.
  Status Run(WorkerPool* pool, uint64_t* entries);

 private:
  struct Thread;

  bool TakeRuns(Thread* thread);
  bool CheckRun(Thread* thread);
  void LeaveRun(Thread* thread) const;
  void FindRunEnd(Thread* thread) const;
  void Fail(size_t run, const Status& status);

  const OpenedTable* const table_;
  const ReadOptions options_;
  const OnProgress& on_progress_;
  const uint32_t caller_ = ThreadNumber();
  std::vector<std::unique_ptr<Thread>> threads_;

  static constexpr size_t kNoRun = std::numeric_limits<size_t>::max();
  RelaxedAtomic<size_t> next_run_{0};
  RelaxedAtomic<size_t> bad_run_{kNoRun};  // the first bad run known so far
  RelaxedAtomic<bool> given_up_{false};
  Mutex mutex_;
  Status fault_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));  // of bad_run_
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_CHECK_ENTRIES_H_

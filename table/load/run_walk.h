// RunWalk: several threads walk over the data blocks of one file together.
//
// The check of entries (TableReader::CheckEntries, which `scan` and
// `recompress` call too) and the data pass of an inspection share this walk. It
// knows only the numbers of runs. Each thread has a RunWorker, which knows what
// a run is and how to check it.
//
// A run is a row of neighbouring blocks that one thread claims, reads and
// checks as a whole. Runs are numbered from 0 in the order of the file. The
// threads are the calling thread, and workers of the pool that come in time.
// Each thread claims the next run, until one of the conditions below ends it.
//
// State, all of it shared:
//
//   next_run_    The first run that no thread has claimed. A thread that claims
//                a run adds 1, so numbers ascend for each thread.
//   bad_run_     The first run known to have a fault; kNoRun until there is
//                one. A thread that finds a fault moves it down, and sets
//                fault_ with it, both under mutex_.
//   given_up_    Whether the caller ended the walk. Only the calling thread
//                sets it, before one of its runs, and nobody clears it.
//
// A thread ends when the run that it claimed is after bad_run_ or after the
// last run, or when given_up_ is true. After a fault of its own it claims a run
// after bad_run_, and so ends. Runs before a fault are all finished, and the
// fault that is left at the end is the first one of the file, whichever thread
// met one first. Runs after it that were begun already are finished too. The
// user of the walk leaves out what they counted.
//
// Memory orders. All three words are relaxed. next_run_ needs only to give each
// number once. bad_run_ and given_up_ are hints to threads: a thread that sees
// an old value checks more runs than it had to. They publish no data: what the
// workers read is written before WorkerCrew::ForEach, and what they found is
// read after it, and ForEach synchronizes with each of them. mutex_ orders the
// writes of fault_ and bad_run_.
//
// Progress: no thread waits for another one, except for mutex_ after a fault.
// If a worker runs out of memory, ForEach throws std::bad_alloc.
//
// Rejected: equal shares of the file for each thread (a slow thread would delay
// the end, and a thread that comes late would leave its share undone).
//
// Tests: test/table/run_walk_test.cc, test/table/check_together_test.cc.
#ifndef ASHLAR_TABLE_LOAD_RUN_WALK_H_
#define ASHLAR_TABLE_LOAD_RUN_WALK_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "ashlar/util/status.h"
#include "ashlar/util/sync/mutex.h"
#include "ashlar/util/sync/thread_number.h"
#include "ashlar/util/worker_pool.h"
#include "table/format/block_handle.h"
#include "util/sync/atomic.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

// Returns whether a run that begins at `offset` goes on to this block, if it
// may have at most `most_bytes` bytes of the file, trailers included.
inline bool RunGoesOnTo(const BlockHandle& block, uint64_t offset,
                        uint64_t most_bytes) {
  return block.offset > offset && block.End() - offset <= most_bytes;
}

// What one thread of a walk checks runs with. It belongs to that thread.
//
//   Find(run)   moves to this run. Numbers ascend from call to call, with gaps.
//               Returns where the run begins in the file; nothing if there is
//               no such run.
//   Check()     checks the run that was found last. Passes a fault that ends
//               the walk to RunWalk::Fail.
template <typename T>
concept RunWorker = requires(T worker, size_t run) {
  { worker.Find(run) } -> std::same_as<std::optional<uint64_t>>;
  { worker.Check() } -> std::same_as<void>;
};

class RunWalk {
 public:
  using OnProgress = std::function<bool(uint64_t done, uint64_t total)>;
  static constexpr size_t kNoRun = std::numeric_limits<size_t>::max();

  // on_progress may be empty. It is called on the calling thread alone, before
  // each of its runs, with the run's offset and file_size; false gives up.
  // Requires: it outlives this.
  RunWalk(const OnProgress& on_progress, uint64_t file_size)
      : on_progress_(on_progress), file_size_(file_size) {}
  RunWalk(const RunWalk&) = delete;
  RunWalk& operator=(const RunWalk&) = delete;

  // Runs the walk, on at most as many threads as there are workers. Returns
  // false if the caller gave up. To be called once. Requires: at least one
  // worker. The pool may be null.
  template <RunWorker Worker>
  [[nodiscard]] bool Run(WorkerPool* pool,
                         std::span<const std::unique_ptr<Worker>> workers) {
    const uint32_t caller = ThreadNumber();
    const auto threads = static_cast<uint32_t>(workers.size());
    const WorkerCrew crew(pool == nullptr ? nullptr : pool->state(),
                          threads - 1);
    return crew.ForEach(threads, [&](uint32_t i) {
      return TakeRuns(workers[i].get(), ThreadNumber() == caller);
    });
  }

  // Records a fault of this run. Any worker may call it during the walk.
  void Fail(size_t run, const Status& status) {
    const MutexLock lock(&mutex_);
    if (run >= bad_run_.Load()) return;
    bad_run_.Store(run);
    fault_ = status;
  }

  // After the walk: the first run that has a fault, or kNoRun, and the fault.
  size_t bad_run() const { return bad_run_.Load(); }
  Status fault() const {
    const MutexLock lock(&mutex_);
    return fault_;
  }

 private:
  template <RunWorker Worker>
  bool TakeRuns(Worker* worker, bool is_caller) {
    for (;;) {
      const size_t run = next_run_.FetchAdd(1);
      if (run > bad_run_.Load()) return true;
      const std::optional<uint64_t> offset = worker->Find(run);
      if (!offset.has_value()) return true;
      if (is_caller && on_progress_ && !on_progress_(*offset, file_size_)) {
        given_up_.Store(true);
      }
      if (given_up_.Load()) return false;
      worker->Check();
    }
  }

  const OnProgress& on_progress_;
  const uint64_t file_size_;
  RelaxedAtomic<size_t> next_run_{0};
  RelaxedAtomic<size_t> bad_run_{kNoRun};
  RelaxedAtomic<bool> given_up_{false};
  mutable Mutex mutex_;
  Status fault_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));  // of bad_run_
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_RUN_WALK_H_

// WorkerPool: threads that are kept after a table is built and serve many
// builders.
//
// An application makes one pool, passes it to every builder
// (BuildOptions::worker_pool), and destroys it after the last of them. A
// builder uses the pool only if its options ask for workers: if
// BuildOptions::workers is set, by a value above 0, and otherwise by a
// parallel_threads other than 1. If they ask and there is no pool, the builder
// starts and ends threads of its own. TableReader::CheckEntries and
// InspectTable use every pool that they are given. Users take turns: a free
// worker goes to the one that has waited longest. Thread safety: any number of
// threads may use one pool at once. For an application's own work there is
// PooledCall (util/pooled_call.h).
#ifndef ASHLAR_UTIL_WORKER_POOL_H_
#define ASHLAR_UTIL_WORKER_POOL_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/export.h"

namespace ashlar {

class ASHLAR_EXPORT WorkerPool {
 public:
  class State;  // internal

  // Starts `threads` threads, or as many as the system and memory allow. If
  // there are none at all, builders do all work themselves. Does not throw.
  explicit WorkerPool(uint32_t threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // Ends the threads. Requires: nothing uses the pool any more.
  ~WorkerPool();

  // Returns the number of threads that were started.
  uint32_t threads() const;

  // Internal. Null if there was no memory for it: the pool then has no threads.
  State* state() const { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_WORKER_POOL_H_

// BuildWorkers: the threads that may work for one builder.
//
// They are those of the WorkerPool that the application passed. Without one,
// they are those of a pool of the builder's own, which starts when the ring has
// its first full slot: a small table starts no threads. Threads that were not
// started for blocks are not started for a filter.
//
// Owned by BlockSink. Used by the emit thread alone.
#ifndef ASHLAR_TABLE_WRITE_BUILD_WORKERS_H_
#define ASHLAR_TABLE_WRITE_BUILD_WORKERS_H_

#include <cstdint>
#include <memory>
#include <new>

#include "ashlar/util/worker_pool.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

class BuildWorkers {
 public:
  // At most `for_blocks` workers compress and write blocks at once, and at most
  // `for_filter` help with the filter. `pool` is null if there is to be one of
  // the builder's own; otherwise it must outlive this.
  BuildWorkers(uint32_t for_blocks, uint32_t for_filter, WorkerPool* pool)
      : for_blocks_(for_blocks),
        for_filter_(for_filter),
        started_(pool == nullptr ? nullptr : pool->state()) {}

  uint32_t for_blocks() const { return for_blocks_; }

  // Returns the pool, and starts the builder's own with `threads` threads if
  // there is none yet. Throws std::bad_alloc if there is no memory for it.
  WorkerPool::State* Start(uint32_t threads) {
    if (started_ == nullptr) {
      own_ = std::make_unique<WorkerPool>(threads);
      started_ = own_->state();
      if (started_ == nullptr) throw std::bad_alloc();
    }
    return started_;
  }

  // Returns the workers that may help with the filter.
  WorkerCrew FilterCrew() const { return {started_, for_filter_}; }

  // Ends the builder's own threads. Requires: nothing uses the pool any more.
  void End() {
    if (own_ == nullptr) return;
    started_ = nullptr;
    own_.reset();
  }

 private:
  uint32_t for_blocks_;
  uint32_t for_filter_;
  std::unique_ptr<WorkerPool> own_;
  WorkerPool::State* started_;  // null: no pool yet
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_BUILD_WORKERS_H_

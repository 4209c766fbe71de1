// WorkerPool: threads that outlive a table and serve many builders.
//
// An engine makes one, hands it to every builder by BuildOptions::worker_pool,
// and destroys it after the last of them. Builders take turns: a worker goes to
// the builder that has asked longest. Any number of threads. Without a pool a
// builder starts, and ends, threads of its own.
#ifndef ASHLAR_UTIL_WORKER_POOL_H_
#define ASHLAR_UTIL_WORKER_POOL_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/export.h"

namespace ashlar {

class ASHLAR_EXPORT WorkerPool {
 public:
  class State;  // internal

  // Starts `threads` threads, or as many of them as the system and memory
  // allow. With none at all builders do their work themselves.
  explicit WorkerPool(uint32_t threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // No builder may be using it.
  ~WorkerPool();

  // That were started.
  uint32_t threads() const;

  // Internal. Null where there was no memory for it: a pool of no threads.
  State* state() const { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_WORKER_POOL_H_

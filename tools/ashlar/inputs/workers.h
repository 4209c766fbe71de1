// Workers: the threads that help the main thread, as --threads asks.
//
// Only the main thread prints, checks for interrupts and shows progress. The
// workers compute results for it.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_WORKERS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_WORKERS_H_

#include <optional>

#include "ashlar/util/worker_pool.h"

namespace ashlar::tool {

class Workers {
 public:
  // Returns a pool with one thread fewer than --threads. If --threads is 0, it
  // has one thread fewer than there are cores. The threads start when they are
  // first needed. Returns null if there would be none.
  WorkerPool* pool();

 private:
  std::optional<WorkerPool> pool_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_WORKERS_H_

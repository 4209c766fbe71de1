// The threads that help the one that runs the program, as --threads asks.
//
// Only it prints, looks for interrupts and shows progress; workers find things
// out for it.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_WORKERS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_WORKERS_H_

#include <optional>

#include "ashlar/util/worker_pool.h"

namespace ashlar::tool {

class Workers {
 public:
  // --threads less one; with 0 one for each core but one. They start when they
  // are asked for. Null where nobody helps.
  WorkerPool* pool();

 private:
  std::optional<WorkerPool> pool_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_WORKERS_H_

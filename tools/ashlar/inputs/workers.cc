#include "tools/ashlar/inputs/workers.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

namespace {

// Returns the number of cores that this program may use.
uint32_t Cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<uint32_t>(CPU_COUNT(&set));
}

}  // namespace

WorkerPool* Workers::pool() {
  constexpr uint32_t kMost = 256;  // more do not help anybody
  const uint32_t asked = FLAGS_threads != 0 ? FLAGS_threads : Cores();
  const uint32_t threads = std::clamp(asked, 1u, kMost);
  if (threads == 1) return nullptr;
  if (!pool_) pool_.emplace(threads - 1);
  return &*pool_;
}

}  // namespace ashlar::tool

// The library's own caches as policies. A key is a block, and a block is
// charged 1.
//
// They are called as a table reader calls them, through cache.h: Lookup, and
// after a miss Insert, each with a handle that is released at once.
#ifndef ASHLAR_TOOLS_CACHE_SIM_REAL_CACHES_H_
#define ASHLAR_TOOLS_CACHE_SIM_REAL_CACHES_H_

#include <memory>

#include "ashlar/util/result.h"
#include "tools/cache_sim/policy.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

Result<std::unique_ptr<Policy>> MakeClock(const PolicyOptions& options,
                                          const Trace& trace);
Result<std::unique_ptr<Policy>> MakeGrowingClock(const PolicyOptions& options,
                                                 const Trace& trace);
Result<std::unique_ptr<Policy>> MakeClockWithAdmission(
    const PolicyOptions& options, const Trace& trace);
Result<std::unique_ptr<Policy>> MakeGrowingClockWithAdmission(
    const PolicyOptions& options, const Trace& trace);
Result<std::unique_ptr<Policy>> MakeLruCache(const PolicyOptions& options,
                                             const Trace& trace);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_REAL_CACHES_H_

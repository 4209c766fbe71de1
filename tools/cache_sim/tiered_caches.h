// The library's two tiers as one policy: a key is a block, charged 1 in the
// first tier; the second one counts entries.
//
// The first tier is a hyper clock cache, and what it evicts goes to the second
// by NewTieredCache, which is the code that a table reader runs. The second one
// is a list of keys of its own, since blocks here have no bytes. A miss is what
// neither has. What is counted besides: how many blocks were saved, each of
// which would have been compressed.
#ifndef ASHLAR_TOOLS_CACHE_SIM_TIERED_CACHES_H_
#define ASHLAR_TOOLS_CACHE_SIM_TIERED_CACHES_H_

#include <memory>

#include "ashlar/util/result.h"
#include "tools/cache_sim/policy.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

Result<std::unique_ptr<Policy>> MakeTieredClock(const PolicyOptions& options,
                                                const Trace& trace);
Result<std::unique_ptr<Policy>> MakeTieredClockWithAdmission(
    const PolicyOptions& options, const Trace& trace);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_TIERED_CACHES_H_

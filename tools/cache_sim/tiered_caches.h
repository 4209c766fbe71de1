// The library's two tiers as one policy. A key is a block, which is charged 1
// in the first tier. The second tier counts entries.
//
// The first tier is a hyper clock cache. NewTieredCache passes what it evicts
// to the second tier, by the same code that a table reader uses. The second
// tier is a separate list of keys, since blocks have no bytes here. A miss is a
// block that neither tier has. This also counts the blocks that were saved,
// each of which a real cache would have compressed.
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

// NewWriteLimit: how fast outputs are written, unless a signal ends the run.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_WRITE_LIMIT_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_WRITE_LIMIT_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/rate_limiter.h"

namespace ashlar::tool {

// Returns a limiter of writes. It lets them pass at once as soon as the run is
// interrupted: what they write is then removed, and nobody waits for it.
// Requires: above 0.
std::shared_ptr<RateLimiter> NewWriteLimit(uint64_t bytes_per_second);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_WRITE_LIMIT_H_

// Describes the contents of a block cache.
#ifndef ASHLAR_TOOLS_BENCH_CACHE_HELD_H_
#define ASHLAR_TOOLS_BENCH_CACHE_HELD_H_

#include <string>

#include "ashlar/cache/cache.h"

namespace ashlar::bench {

// Returns the number of blocks in each tier; the memory that the first tier
// would need for that number, compared with what both tiers have; and what a
// tiered cache reports.
std::string DescribeHeld(Cache* cache);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_CACHE_HELD_H_

// What a block cache holds, in words.
#ifndef ASHLAR_TOOLS_BENCH_CACHE_HELD_H_
#define ASHLAR_TOOLS_BENCH_CACHE_HELD_H_

#include <string>

#include "ashlar/cache/cache.h"

namespace ashlar::bench {

// How many blocks it holds, in either tier, and how much memory the first tier
// would need for as many, compared with what both have; and then what a tiered
// cache reports.
std::string DescribeHeld(Cache* cache);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_CACHE_HELD_H_

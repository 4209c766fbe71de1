// The common part of the engines' benchmark blockinsert: a block's bytes, which
// are uncompressed and in memory, become an entry of a cache that is full of
// such entries.
#ifndef ASHLAR_TOOLS_BENCH_BLOCK_INSERT_H_
#define ASHLAR_TOOLS_BENCH_BLOCK_INSERT_H_

#include <cstdint>

#include "ashlar/cache/cache_key.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

inline constexpr uint64_t kInsertCacheBytes = uint64_t{32} << 20;

// Returns the key of the i-th insert. All keys differ.
inline CacheKey InsertKey(uint64_t i) {
  return CacheKey{0x9e3779b97f4a7c15, 0x2545f4914f6cdd1d}.AtOffset(i << 13);
}

// Calls insert(i), which returns a status with ok(). The cache is filled before
// time is measured, so that each insert evicts an entry.
template <typename Insert>
auto TimeInserts(const BenchOptions& options, uint64_t block_bytes,
                 RunResult* result, Insert insert) {
  const uint64_t first = kInsertCacheBytes / block_bytes * 5 / 4;
  const uint64_t last = first + options.num_reads();
  decltype(insert(0)) status;
  for (uint64_t i = 0; i < first && status.ok(); ++i) status = insert(i);
  const Stopwatch watch;
  for (uint64_t i = first; i < last && status.ok(); ++i) status = insert(i);
  result->measured = watch.Stop();
  result->operations = options.num_reads();
  result->bytes = result->operations * block_bytes;
  return status;
}

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_BLOCK_INSERT_H_

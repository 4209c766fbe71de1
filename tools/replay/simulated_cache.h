// SimulatedCache: one of the library's block caches without blocks. It charges
// what real blocks would be charged.
//
// There is a row per kind in the table of simulated_cache.cc. For one thread at
// a time.
#ifndef ASHLAR_TOOLS_REPLAY_SIMULATED_CACHE_H_
#define ASHLAR_TOOLS_REPLAY_SIMULATED_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/cache/block_cache_trace_reader.h"
#include "ashlar/cache/cache.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar::sim {

struct SimulatedCacheOptions {
  size_t capacity = 1;  // bytes
  // Whether the cache's own memory counts, as it does by default.
  bool charge_metadata = true;
};

struct SimulatedCacheKind {
  std::string_view name;
  std::string_view summary;
  Result<std::shared_ptr<Cache>> (*make)(const SimulatedCacheOptions& options);
};

std::span<const SimulatedCacheKind> SimulatedCacheKinds();
// Finds the kinds in a list separated by commas. An error names the one that
// does not exist.
Status FindSimulatedCaches(std::string_view names,
                           std::vector<const SimulatedCacheKind*>* kinds);

class SimulatedCache {
 public:
  static Result<std::unique_ptr<SimulatedCache>> Make(
      const SimulatedCacheKind& kind, const SimulatedCacheOptions& options);

  // Looks up a block. Inserts it if it is missing, unless `no_insert` is set.
  // Sets *was_found. Returns MemoryLimit if there is no memory for the cache.
  Status Access(uint32_t block, uint64_t bytes, BlockAccessKind kind,
                bool no_insert, bool* was_found);

 private:
  explicit SimulatedCache(std::shared_ptr<Cache> cache)
      : cache_(std::move(cache)) {}

  const std::shared_ptr<Cache> cache_;
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_REPLAY_SIMULATED_CACHE_H_

#include "tools/bench/cache_workload.h"

namespace ashlar::bench {

std::string DescribeCache(const CacheBenchOptions& o) {
  if (o.cache_type == "fifo_cache") {
    return "fifo_cache of " + std::to_string(o.cache_size) +
           " bytes after a write buffer of " + std::to_string(o.buffer_blocks) +
           " blocks; " + std::to_string(o.threads) + " threads";
  }
  std::string text = o.cache_type + " of " + std::to_string(o.cache_size) +
                     " bytes, charges of " + std::to_string(o.value_bytes);
  if (o.cache_type == "hyper_clock_cache") {
    text += ", estimated as " + std::to_string(o.charge_estimate());
  }
  if (o.cache_type != "lru_cache") {
    text += ", eviction_effort_cap " + std::to_string(o.eviction_effort_cap);
  }
  return text + ", num_shard_bits " + std::to_string(o.num_shard_bits) +
         (o.num_shard_bits < 0 ? " (automatic)" : "") +
         ", metadata charged in full, " +
         (o.strict_capacity_limit ? "strict" : "non-strict") + " limit; " +
         std::to_string(o.threads) + " threads";
}

}  // namespace ashlar::bench

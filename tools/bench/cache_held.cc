#include "tools/bench/cache_held.h"

#include <cstdio>
#include <set>

#include "ashlar/cache/tiered_cache.h"
#include "cache/secondary/compressed_secondary_cache.h"

namespace ashlar::bench {

std::string DescribeHeld(Cache* cache) {
  std::set<CacheKey> keys;
  const auto add = [&keys](const CacheEntryView& entry) {
    keys.insert(entry.key);
  };
  cache->ForEachEntry(add);
  const size_t in_first = keys.size();
  const double each = in_first == 0 ? 0
                                    : static_cast<double>(cache->GetUsage()) /
                                          static_cast<double>(in_first);
  size_t capacity = cache->GetCapacity();
  std::string report;
  if (const auto* const tiers = dynamic_cast<TieredCache*>(cache)) {
    capacity += tiers->secondary().GetCapacity();
    if (const auto* const second =
            dynamic_cast<internal::CompressedSecondaryCache*>(
                &tiers->secondary())) {
      second->pieces().ForEachEntry(add);
    }
    report = tiers->Report();
  } else {
    report = cache->CollectEntryStats().ToString();
  }
  char line[160];
  std::snprintf(
      line, sizeof line,
      "%zu blocks in %zu bytes; %.0f bytes each in the first tier: "
      "%.2f times its capacity\n",
      keys.size(), capacity, each,
      each * static_cast<double>(keys.size()) / static_cast<double>(capacity));
  return line + report;
}

}  // namespace ashlar::bench

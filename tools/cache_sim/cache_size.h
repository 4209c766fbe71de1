// CacheSize: the size of a cache, as the command line gives it.
//
// It is "10%" of the keys of a trace, or "5000" entries. A plain value.
#ifndef ASHLAR_TOOLS_CACHE_SIM_CACHE_SIZE_H_
#define ASHLAR_TOOLS_CACHE_SIM_CACHE_SIZE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/status.h"

namespace ashlar::sim {

struct CacheSize {
  std::string text;
  double percent = 0;  // of the keys; 0: `entries` counts
  uint32_t entries = 0;

  // Returns the number of entries, which is at least 1.
  uint32_t Of(uint32_t distinct_keys) const;
};

// Parses a list of sizes, separated by commas.
Status ParseCacheSizes(const std::string& list, std::vector<CacheSize>* sizes);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_CACHE_SIZE_H_

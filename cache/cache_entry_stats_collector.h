// CacheEntryStatsCollector: statistics of a block cache by role, which are
// collected now and then, kept, and shared.
//
// For what RocksDB calls the property "rocksdb.block-cache-entry-stats". To
// collect them is a walk over all entries of the cache: with many entries it
// takes as long as thousands of reads. So a result is kept, and a caller that
// asks again within some time gets that one. All that ask for the same cache
// share one collector (Of), and so its last result.
//
// Thread-safe. One thread at a time collects. A thread that asks meanwhile gets
// the last result if it is young enough, and otherwise waits for the new one.
#ifndef ASHLAR_CACHE_CACHE_ENTRY_STATS_COLLECTOR_H_
#define ASHLAR_CACHE_CACHE_ENTRY_STATS_COLLECTOR_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/cache_entry.h"
#include "ashlar/util/export.h"

namespace ashlar {

// A result, which does not change any more.
struct CollectedCacheEntryStats {
  CacheEntryStats stats;
  std::string cache_id;   // different for each cache of the process
  uint64_t capacity = 0;  // of the cache, in bytes
  // How long the collection took, and when it ended, by the steady clock.
  std::chrono::microseconds duration{0};
  std::chrono::steady_clock::time_point end;
};

// Returns the role's name as RocksDB has it in keys of the map: "data-block".
// The text lives for ever.
ASHLAR_EXPORT std::string_view CacheEntryRoleKey(CacheEntryRole role);

class ASHLAR_EXPORT CacheEntryStatsCollector {
 public:
  // How old a result may be: this many seconds, or this many times as long as
  // its collection took, whichever is longer. The default is RocksDB's for the
  // property: a collection then takes a tenth of the time at most.
  struct MaxAge {
    double seconds = 10;
    double times_duration = 10;
  };

  // Returns the collector of this cache, which all callers share. It lives as
  // long as anyone has it; the next caller then gets a new one, without a
  // result. It shares ownership of the cache. May throw std::bad_alloc.
  static std::shared_ptr<CacheEntryStatsCollector> Of(
      const std::shared_ptr<Cache>& cache);

  // Makes a collector that nobody else shares. Requires: `cache` is not null.
  explicit CacheEntryStatsCollector(std::shared_ptr<Cache> cache);
  CacheEntryStatsCollector(const CacheEntryStatsCollector&) = delete;
  CacheEntryStatsCollector& operator=(const CacheEntryStatsCollector&) = delete;
  ~CacheEntryStatsCollector();

  // Returns the last result if it is not older than max_age, else a new one.
  // Never null. May throw std::bad_alloc; the last result is then kept.
  std::shared_ptr<const CollectedCacheEntryStats> Get(MaxAge max_age);
  std::shared_ptr<const CollectedCacheEntryStats> Get() {
    return Get(MaxAge());
  }

  // Returns a result as a map of texts, with RocksDB's keys: "id", "capacity",
  // "secs_for_last_collection", "secs_since_last_collection"; and, for each
  // role, "count.data-block", "bytes.data-block" (the sum of charges) and
  // "percent.data-block" (of the capacity). May throw std::bad_alloc.
  static std::map<std::string, std::string> ToMap(
      const CollectedCacheEntryStats& collected);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_ENTRY_STATS_COLLECTOR_H_

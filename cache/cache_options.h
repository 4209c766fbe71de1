// How caches are made: options as plain aggregates, with RocksDB's names and
// meanings, and a function for each kind.
#ifndef ASHLAR_CACHE_CACHE_OPTIONS_H_
#define ASHLAR_CACHE_CACHE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ashlar/cache/cache.h"
#include "ashlar/util/export.h"
#include "ashlar/util/memory_allocator.h"
#include "ashlar/util/result.h"

namespace ashlar {

// Lock-free, for many threads: what a block cache should be.
struct HyperClockCacheOptions {
  // Bytes, by the charges of entries.
  size_t capacity = size_t{32} << 20;

  // What an entry is charged on average, without the cache's own memory. The
  // table's size follows from it: when entries turn out larger, some of that is
  // unused (109 bytes per entry that was expected); when they are much smaller
  // the table is full before the capacity is reached. ReportProblems tells.
  // 0: nobody knows; the table grows by itself with what comes, while it is
  // used. 78 bytes for each of the most entries that it ever had: it does not
  // shrink. In huge pages, up to 6 MiB a part more.
  size_t estimated_entry_charge = 4096;

  // Of a table that grows by itself: it makes room for no more entries than the
  // capacity has with which it was made if each is charged so much (1024 a part
  // at least, never more than 2^26). Address space is reserved for as many,
  // which a limit on it, or a system that does not overcommit memory, may
  // refuse. Entries that are smaller on average fill the table before the
  // capacity, and so may others once SetCapacity has made that larger.
  size_t min_avg_entry_charge = 450;

  // 2^n parts with a capacity of their own. -1: as many as leave each 512 MiB,
  // at most 64. More let more threads insert at once; an entry larger than
  // its part has no room. 0 to 16.
  int num_shard_bits = -1;

  // Whether Insert fails rather than exceed the capacity.
  bool strict_capacity_limit = false;

  // An insert that needs room gives up after having met this many entries in
  // use for each that it could evict (and as many before the first); usage may
  // then exceed the capacity by one part in so many. At least 1. Larger: closer
  // to the capacity, slower where nearly all is in use.
  int eviction_effort_cap = 30;

  // Whether an entry must have shown that it is used before it can take the
  // place of others that were: keeps what is used through scans and
  // compactions, and misses less where keys come back. Hits cost the same; a
  // miss some tens of nanoseconds more, an entry 21 bytes more. Entries of high
  // priority need not show anything; those of bottom priority always must.
  bool admission = false;

  CacheMetadataChargePolicy metadata_charge_policy =
      CacheMetadataChargePolicy::kFullCharge;

  // Null: malloc.
  std::shared_ptr<MemoryAllocator> memory_allocator;

  // Keys are hashed with it. 0: drawn at random.
  uint64_t hash_seed = 0;

  // What the age of entries is told by (cache_entry.h): seconds, from any
  // beginning, never less than before. Read once an insert, by any thread.
  // Null: the system's.
  uint32_t (*age_clock)() = nullptr;
};
ASHLAR_EXPORT Result<std::shared_ptr<Cache>> NewHyperClockCache(
    const HyperClockCacheOptions& options);

// Least recently used first, with a mutex a shard: to compare with, and for few
// threads.
struct LruCacheOptions {
  // As above.
  size_t capacity = size_t{32} << 20;
  // -1: as many shards as leave each 512 KiB, at most 64.
  int num_shard_bits = -1;
  bool strict_capacity_limit = false;

  // The part of the capacity that is kept for entries of high priority, and for
  // others once they were hit; and the part below it for those of low priority.
  // 0 to 1, and no more together. What overflows a part goes to the one below.
  double high_pri_pool_ratio = 0.5;
  double low_pri_pool_ratio = 0.0;

  CacheMetadataChargePolicy metadata_charge_policy =
      CacheMetadataChargePolicy::kFullCharge;
  std::shared_ptr<MemoryAllocator> memory_allocator;
  uint64_t hash_seed = 0;
  uint32_t (*age_clock)() = nullptr;
};
ASHLAR_EXPORT Result<std::shared_ptr<Cache>> NewLruCache(
    const LruCacheOptions& options);

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_OPTIONS_H_

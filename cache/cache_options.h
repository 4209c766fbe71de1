// The options of caches and the functions that make them.
//
// Used by applications, which make one cache and pass it to all readers. The
// options are plain aggregates with RocksDB's names and meanings. They are
// copied: changing them later changes nothing. The functions are thread-safe.
// The second tier has its own options (secondary_cache.h, tiered_cache.h).
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

// The hyper clock cache: lock-free, for many threads. Use this as block cache.
struct HyperClockCacheOptions {
  // Bytes: what the charges of all entries may add up to.
  size_t capacity = size_t{32} << 20;

  // Bytes that an entry is charged on average, without the cache's own memory.
  // The size of the table follows from it, at 109 bytes per expected entry. If
  // entries turn out larger, part of the table stays unused. If they turn out
  // much smaller, the table is full before the capacity is used.
  // Cache::ReportProblems reports both.
  //
  // 0: unknown. The table then grows while it is used, and never shrinks
  // (Cache::Name returns "AutoHyperClockCache"). It takes 78 bytes for each of
  // the most entries that it ever had, and with huge pages up to 6 MiB more per
  // shard.
  size_t estimated_entry_charge = 4096;

  // Bytes. For a growing table only: the least charge that an entry is expected
  // to have on average. It limits the table to capacity divided by this many
  // entries (at least 1024 per shard, never more than 2^26 per shard). Address
  // space is reserved for that many entries. A limit on address space, or a
  // system that does not overcommit memory, may refuse it. Smaller entries fill
  // the table before the capacity is used. So may other entries, if SetCapacity
  // later makes the capacity larger than it is here.
  size_t min_avg_entry_charge = 450;

  // The cache has 2^n shards, each with its part of the capacity. -1: as many
  // as leave each shard at least 512 MiB, at most 64. With more shards, more
  // threads can insert at once. But an entry larger than its shard cannot be
  // cached. -1, or 0 to 16.
  int num_shard_bits = -1;

  // Whether Cache::Insert with a handle fails rather than exceed the capacity.
  // A table reader whose insert fails holds the block outside of the capacity.
  // Its reads do not fail, unless ReaderOptions says so.
  bool strict_capacity_limit = false;

  // How long an insert searches for room. It gives up when it has met
  // eviction_effort_cap * (n + 1) entries in use, where n is the number of
  // entries that it has evicted. If the limit is not strict, such an insert
  // still succeeds, as long as usage exceeds the capacity by at most capacity /
  // this number. At least 1. A larger number keeps usage closer to the
  // capacity, but is slower if nearly all entries are in use.
  int eviction_effort_cap = 30;

  // Whether an entry must be used before it may replace others that were used.
  // This keeps useful entries through scans and compactions, and misses less if
  // keys come back. A hit costs the same, a miss some tens of nanoseconds more,
  // an entry 21 bytes more. Entries of high priority are always admitted.
  // An entry of bottom priority is never admitted at once: it must be used
  // before it may replace others. Not an option of RocksDB.
  bool admission = false;

  // Whether the table's memory for an entry counts against the capacity.
  CacheMetadataChargePolicy metadata_charge_policy =
      CacheMetadataChargePolicy::kFullCharge;

  // Where the memory of values comes from. Null: malloc. The cache only passes
  // it on (Cache::memory_allocator): the code that makes a value allocates it.
  // Ashlar's readers use it for data blocks, not for index and filter blocks.
  std::shared_ptr<MemoryAllocator> memory_allocator;

  // The seed of the hash of keys. 0: a random one.
  uint64_t hash_seed = 0;

  // The clock by which the age of entries is measured (cache_entry.h). Returns
  // seconds since any fixed time, and never less than before. Called once per
  // insert, by any thread. Null: the system's clock.
  uint32_t (*age_clock)() = nullptr;
};
// Makes a cache. Returns InvalidArgument if num_shard_bits or
// eviction_effort_cap is out of range, or if the table would need more than
// 2^32 slots. Returns MemoryLimit if there is no memory or address space for
// the table.
ASHLAR_EXPORT Result<std::shared_ptr<Cache>> NewHyperClockCache(
    const HyperClockCacheOptions& options);

// The LRU cache: evicts the least recently used entry first, with one mutex per
// shard. Use it to compare other caches with, or with few threads. RocksDB's
// name is "LRUCacheOptions". Options without a comment are as
// in HyperClockCacheOptions.
struct LruCacheOptions {
  // Bytes: what the charges of all entries may add up to.
  size_t capacity = size_t{32} << 20;
  // The cache has 2^n shards. -1: as many as leave each shard at least 512 KiB,
  // at most 64. -1, or 0 to 16.
  int num_shard_bits = -1;
  bool strict_capacity_limit = false;

  // high_pri_pool_ratio is the part of the capacity that is reserved for
  // entries of high priority, and for all entries that were hit.
  // low_pri_pool_ratio is the part reserved for entries of low priority. Each
  // is 0 to 1, and both together at most 1. What overflows one pool goes to the
  // next lower one, and is evicted from the lowest.
  double high_pri_pool_ratio = 0.5;
  double low_pri_pool_ratio = 0.0;

  // These four are as in HyperClockCacheOptions.
  CacheMetadataChargePolicy metadata_charge_policy =
      CacheMetadataChargePolicy::kFullCharge;
  std::shared_ptr<MemoryAllocator> memory_allocator;
  uint64_t hash_seed = 0;
  uint32_t (*age_clock)() = nullptr;
};
// Makes a cache. Returns InvalidArgument if num_shard_bits or a ratio is out of
// range, MemoryLimit if there is no memory.
ASHLAR_EXPORT Result<std::shared_ptr<Cache>> NewLruCache(
    const LruCacheOptions& options);

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_OPTIONS_H_

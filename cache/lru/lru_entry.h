// LruEntry: an entry of the LRU cache, and the handle to it.
//
// Its shard makes it. Everything except what CacheHandle shows is protected by
// the shard's mutex. There is one allocation per entry, and no other.
#ifndef ASHLAR_CACHE_LRU_LRU_ENTRY_H_
#define ASHLAR_CACHE_LRU_LRU_ENTRY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ashlar/cache/cache.h"

namespace ashlar::internal {

enum class LruPool : uint8_t { kHigh, kLow, kBottom };
inline constexpr size_t kLruPools = 3;

// A position in the order of eviction.
struct LruLink {
  LruLink* newer = nullptr;
  LruLink* older = nullptr;
};

// An entry is in one of these states:
//   in the table, in use      refs > visits
//   in the table and a pool   refs == visits. It may be evicted once both are 0
//   erased                    refs > 0. Destroyed with the last reference
//   standalone                refs > 0. It was never in the table
struct LruEntry final : CacheHandle, LruLink {
  LruEntry(const CacheKey& its_key, void* value, const CacheItemOps* ops,
           size_t charge, CachePriority its_priority)
      : key(its_key), priority(its_priority) {
    value_ = value;
    ops_ = ops;
    charge_ = charge;
  }

  // Returns what the entry counts against the capacity, in bytes.
  size_t TotalCharge() const {
    return uncharged ? 0 : std::min(charge(), kMostCharge) + metadata_charge;
  }

  CacheKey key;
  LruEntry* next_in_bucket = nullptr;
  uint32_t came_at = 0;  // when it was inserted, by the cache's age_clock
  uint32_t refs = 0;     // references that keep it alive
  // When it came into its pool, as LruPools counts. While it is in use, that
  // of its last time there.
  uint32_t pooled_at = 0;
  uint16_t visits = 0;  // refs of walks that look at it: these are no use
  uint8_t metadata_charge = 0;
  CachePriority priority : 2;
  LruPool pool : 2 = LruPool::kBottom;
  bool hit : 1 = false;
  bool in_table : 1 = false;
  bool standalone : 1 = false;
  bool uncharged : 1 = false;
};

inline constexpr uint32_t kMaxLruRefs = uint32_t{1} << 28;

// The cache's own memory for an entry: this object, its bucket, and what malloc
// adds.
inline constexpr size_t kLruMetadataBytes =
    sizeof(LruEntry) + sizeof(LruEntry*) + sizeof(size_t);
static_assert(kLruMetadataBytes <= 128);

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_LRU_LRU_ENTRY_H_

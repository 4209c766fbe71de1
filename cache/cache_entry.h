// What a caller tells a cache about an entry (its role, its operations, its
// priority), and the statistics by role.
//
// Used by Cache, and by code that inserts entries. Plain values: any number of
// threads may read them at once, and changing one needs the caller's own
// exclusion. Not the entries themselves: those belong to the cache.
#ifndef ASHLAR_CACHE_CACHE_ENTRY_H_
#define ASHLAR_CACHE_CACHE_ENTRY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/cache/cache_key.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class MemoryAllocator;

// What an entry holds, for statistics. The roles are RocksDB's, except for
// kReadAhead and kIterator. Ashlar's table readers insert kDataBlock,
// kFilterBlock, kFilterMetaBlock (the top-level index of a partitioned filter),
// kIndexBlock and, for dictionaries, kOtherBlock. By option, memory outside of
// the cache is charged under kWriteBuffer,
// kCompressionDictionaryBuildingBuffer, kFilterConstruction,
// kBlockBasedTableReader, kFileMetadata, kReadAhead and kIterator
// (cache_usage_options.h). An application may use all of them for its own
// entries and reservations (memory_reservation.h).
enum class CacheEntryRole : uint8_t {
  kDataBlock,
  kFilterBlock,
  kFilterMetaBlock,
  kIndexBlock,
  kOtherBlock,
  kWriteBuffer,
  kCompressionDictionaryBuildingBuffer,
  kFilterConstruction,
  kBlockBasedTableReader,
  kFileMetadata,
  kBlobValue,
  kBlobCache,
  kReadAhead,  // what iterators have read ahead of files
  kIterator,   // blocks of iterators that are not in the cache
  kMisc,
};
inline constexpr size_t kCacheEntryRoles =
    static_cast<size_t>(CacheEntryRole::kMisc) + 1;
// Returns "DataBlock", "FilterBlock" and so on: the enumerator without its k.
// Requires: `role` is one of the enumerators. The text lives forever.
ASHLAR_EXPORT std::string_view CacheEntryRoleName(CacheEntryRole role);

// How long an unused entry stays: entries of a lower priority tend to be
// evicted first.
enum class CachePriority : uint8_t { kHigh, kLow, kBottom };

// The largest charge of one entry, in bytes: a larger charge counts as this
// much. So the sum of thousands of charges does not wrap around.
inline constexpr size_t kMostCharge = SIZE_MAX >> 16;

// What the cache can do with the values of one type. Requires: it outlives
// every cache that has an entry with it, so in practice it is a constexpr
// object. The cache may call these functions from any thread. `destroy` and
// `size` must not throw.
struct CacheItemOps {
  CacheEntryRole role = CacheEntryRole::kMisc;
  // Destroys `value`. `allocator` is that of the cache, or null. The thread
  // that ends the entry calls it, once: a thread that evicts it to make room,
  // erases it, shrinks or destroys the cache, or releases the last handle of an
  // entry that was erased before. Not called if an EvictionCallback took the
  // value. Null: there is nothing to destroy.
  void (*destroy)(void* value, MemoryAllocator* allocator) = nullptr;
  // Returns the bytes of the value itself, for statistics. Null: its charge is
  // shown instead.
  size_t (*size)(const void* value) = nullptr;

  // For a second tier behind the cache (tiered_cache.h). Set all three or none:
  // without them the values are not saved.
  //
  // Returns how many bytes save_to will write for the value.
  size_t (*saved_size)(const void* value) = nullptr;
  // Writes exactly saved_size bytes to `out`.
  void (*save_to)(const void* value, char* out) = nullptr;
  // Makes a value of `saved`, the bytes that save_to wrote for the same key,
  // and sets *value and *charge. `context` is the create_context of the lookup.
  // `saved` is valid during the call only. `allocator` is that of the cache, or
  // null.
  //
  // OK with *value still null: no value can be made now. MemoryLimit: the same,
  // for want of memory. Any other error: the bytes are no value, and the second
  // tier erases them.
  Status (*create)(const Slice& saved, const void* context,
                   MemoryAllocator* allocator, void** value,
                   size_t* charge) = nullptr;
};

// What Cache::ForEachEntry and Cache::VisitEntry pass of an entry. Valid until
// the callback returns.
struct CacheEntryView {
  CacheKey key;
  void* value;
  const CacheItemOps* ops;
  size_t charge;  // in bytes, as passed to Cache::Insert
  // Whole seconds since the entry was inserted, by the cache's age_clock. The
  // hyper clock cache counts up to 194 days and then starts at 0 again.
  uint32_t age_seconds = 0;
  // Whether a lookup has found the entry (see Cache::EvictionCallback).
  bool was_hit = false;
  // How long the entry would stay if nothing were used from now on: of two
  // entries, the one with the smaller number is evicted first. A number without
  // a unit, to compare entries of one cache within a short time. With shards it
  // is an estimate, since each shard evicts by itself.
  uint64_t stay = 0;
};

// Whether the cache's own memory for an entry counts against the capacity.
enum class CacheMetadataChargePolicy : uint8_t { kDontCharge, kFullCharge };

// The bounds between the age groups of the statistics, in seconds: 10 s, 1 min,
// 10 min, 1 h, 6 h, a day, a week.
inline constexpr std::array<uint32_t, 7> kCacheAgeBounds = {
    10, 60, 600, 3600, 21'600, 86'400, 604'800};

// Statistics of the entries by role, as Cache::CollectEntryStats returns them.
// The age of an entry is the time since it was inserted, no matter how often it
// was used meanwhile. If data blocks that were useful are all young, the cache
// is too small for the workload.
struct ASHLAR_EXPORT CacheEntryStats {
  struct Of {
    uint64_t count = 0;
    uint64_t bytes = 0;   // of the values, by CacheItemOps::size
    uint64_t charge = 0;  // as passed to Cache::Insert
    // by_age[i] is the number of entries between two bounds: at least
    // kCacheAgeBounds[i - 1] seconds old (if i > 0), and younger than
    // kCacheAgeBounds[i] (unless i is the last).
    std::array<uint64_t, kCacheAgeBounds.size() + 1> by_age = {};
    uint32_t oldest_seconds = 0;
  };
  // Indexed by the number of the role.
  std::array<Of, kCacheEntryRoles> by_role;

  // Returns the figures of one role.
  const Of& of(CacheEntryRole role) const {
    return by_role[static_cast<size_t>(role)];
  }
  // Returns a table for the operator: a line for each role that has entries,
  // with the share of them in each age group.
  std::string ToString() const;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_ENTRY_H_

// What a cache is told of an entry: its role, its operations, its priority.
//
// Plain values, used by Cache and by those who fill one.
#ifndef ASHLAR_CACHE_CACHE_ENTRY_H_
#define ASHLAR_CACHE_CACHE_ENTRY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class MemoryAllocator;

// What the entry is to the engine, for statistics; RocksDB's roles. Ashlar's
// readers insert kDataBlock, kFilterBlock, kFilterMetaBlock (the top level of a
// filter in partitions) and kIndexBlock. The others are for an application's
// own entries and reservations (memory_reservation.h).
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
  kMisc,
};
inline constexpr size_t kCacheEntryRoles =
    static_cast<size_t>(CacheEntryRole::kMisc) + 1;
// "DataBlock", "FilterBlock", ...
ASHLAR_EXPORT std::string_view CacheEntryRoleName(CacheEntryRole role);

// Of what is not used, the lowest is evicted first.
enum class CachePriority : uint8_t { kHigh, kLow, kBottom };

// Charges beyond are counted as this much, so that sums of some thousands of
// them do not wrap.
inline constexpr size_t kMostCharge = SIZE_MAX >> 16;

// What can be done with the values of one kind. Outlives every cache that has
// such an entry: in practice a constexpr object.
struct CacheItemOps {
  CacheEntryRole role = CacheEntryRole::kMisc;
  // Ends the value; the allocator is the cache's own, or null. Called by
  // whichever thread lets go of the entry last, and never by two. Null: there
  // is nothing to end.
  void (*destroy)(void* value, MemoryAllocator* allocator) = nullptr;
  // The bytes of the value itself, as statistics show them. Null: its charge.
  size_t (*size)(const void* value) = nullptr;

  // For a second tier behind the cache (tiered_cache.h): how many bytes the
  // value is as it is saved there, writing just so many, and a value of such
  // bytes again. All three, or none: such values are not saved.
  size_t (*saved_size)(const void* value) = nullptr;
  void (*save_to)(const void* value, char* out) = nullptr;
  // The bytes are what was saved under that key. `context` is from who looks
  // for it. An error: they are no value (and will not be asked for again). Ok
  // and *value null: not now.
  Status (*create)(const Slice& saved, const void* context,
                   MemoryAllocator* allocator, void** value,
                   size_t* charge) = nullptr;
};

// Whether the cache's own memory for an entry counts against its capacity.
enum class CacheMetadataChargePolicy : uint8_t { kDontCharge, kFullCharge };

// Where the ages that statistics count apart begin, in seconds: 10 s, 1 min,
// 10 min, 1 h, 6 h, a day, a week.
inline constexpr std::array<uint32_t, 7> kCacheAgeBounds = {
    10, 60, 600, 3600, 21'600, 86'400, 604'800};

// Entries by role, as Cache::CollectEntryStats finds them. An age is the time
// since the entry was inserted, however often it was used meanwhile: where data
// blocks of some use are young, the cache is too small for what is read.
struct ASHLAR_EXPORT CacheEntryStats {
  struct Of {
    uint64_t count = 0;
    uint64_t bytes = 0;   // of the values, by CacheItemOps::size
    uint64_t charge = 0;  // as they were inserted with
    // How many are as old as the bound before says, and not yet as the next.
    std::array<uint64_t, kCacheAgeBounds.size() + 1> by_age = {};
    uint32_t oldest_seconds = 0;
  };
  std::array<Of, kCacheEntryRoles> by_role;

  const Of& of(CacheEntryRole role) const {
    return by_role[static_cast<size_t>(role)];
  }
  // A table for the operator: a line for each role that has entries, with the
  // share of them in each age.
  std::string ToString() const;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_ENTRY_H_

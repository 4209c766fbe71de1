// What a cache is told of an entry: its role, its operations, its priority.
//
// Plain values, used by Cache and by those who fill one.
#ifndef ASHLAR_CACHE_CACHE_ENTRY_H_
#define ASHLAR_CACHE_CACHE_ENTRY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "util/export.h"

namespace ashlar {

class MemoryAllocator;

// What the entry is to the engine, for statistics; RocksDB's roles.
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
};

// Whether the cache's own memory for an entry counts against its capacity.
enum class CacheMetadataChargePolicy : uint8_t { kDontCharge, kFullCharge };

// Entries by role, as Cache::CollectEntryStats finds them.
struct CacheEntryStats {
  struct Of {
    uint64_t count = 0;
    uint64_t bytes = 0;   // of the values, by CacheItemOps::size
    uint64_t charge = 0;  // as they were inserted with
  };
  std::array<Of, kCacheEntryRoles> by_role;

  const Of& of(CacheEntryRole role) const {
    return by_role[static_cast<size_t>(role)];
  }
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_ENTRY_H_

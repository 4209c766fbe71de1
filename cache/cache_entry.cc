#include "cache/cache_entry.h"

#include "cache/cache.h"

namespace ashlar {

std::string_view CacheEntryRoleName(CacheEntryRole role) {
  constexpr std::array<std::string_view, kCacheEntryRoles> kNames = {
      "DataBlock",
      "FilterBlock",
      "FilterMetaBlock",
      "IndexBlock",
      "OtherBlock",
      "WriteBuffer",
      "CompressionDictionaryBuildingBuffer",
      "FilterConstruction",
      "BlockBasedTableReader",
      "FileMetadata",
      "BlobValue",
      "BlobCache",
      "Misc",
  };
  return kNames[static_cast<size_t>(role)];
}

CacheEntryStats Cache::CollectEntryStats() {
  CacheEntryStats stats;
  ForEachEntry([&stats](const CacheEntryView& entry) {
    CacheEntryStats::Of& of =
        stats.by_role[static_cast<size_t>(entry.ops->role)];
    ++of.count;
    of.charge += entry.charge;
    of.bytes += entry.ops->size != nullptr ? entry.ops->size(entry.value)
                                           : entry.charge;
  });
  return stats;
}

}  // namespace ashlar

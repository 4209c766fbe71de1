#include "cache_usage.h"

#include <utility>

namespace ashlar_rocksdb {

namespace {

ashlar::CacheEntryRoleOptions RoleFrom(
    const rocksdb::CacheEntryRoleOptions& theirs) {
  using Theirs = rocksdb::CacheEntryRoleOptions::Decision;
  using Ours = ashlar::CacheEntryRoleOptions::Decision;
  ashlar::CacheEntryRoleOptions ours;
  ours.charged = theirs.charged == Theirs::kEnabled    ? Ours::kEnabled
                 : theirs.charged == Theirs::kDisabled ? Ours::kDisabled
                                                       : Ours::kFallback;
  return ours;
}

// The roles of builders and readers. RocksDB itself charges file metadata and
// its blob cache.
constexpr std::pair<rocksdb::CacheEntryRole, ashlar::CacheEntryRole> kRoles[] =
    {{rocksdb::CacheEntryRole::kCompressionDictionaryBuildingBuffer,
      ashlar::CacheEntryRole::kCompressionDictionaryBuildingBuffer},
     {rocksdb::CacheEntryRole::kFilterConstruction,
      ashlar::CacheEntryRole::kFilterConstruction},
     {rocksdb::CacheEntryRole::kBlockBasedTableReader,
      ashlar::CacheEntryRole::kBlockBasedTableReader}};

}  // namespace

ashlar::CacheUsageOptions CacheUsageFrom(
    const rocksdb::CacheUsageOptions& theirs) {
  ashlar::CacheUsageOptions ours;
  ours.options = RoleFrom(theirs.options);
  // Under this role RocksDB charges memtables, and Ashlar buffers of builders.
  ours.options_overrides[ashlar::CacheEntryRole::kWriteBuffer].charged =
      ashlar::CacheEntryRoleOptions::Decision::kDisabled;
  for (const auto& [their_role, our_role] : kRoles) {
    const auto found = theirs.options_overrides.find(their_role);
    if (found != theirs.options_overrides.end()) {
      ours.options_overrides[our_role] = RoleFrom(found->second);
    }
  }
  return ours;
}

}  // namespace ashlar_rocksdb

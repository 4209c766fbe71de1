#include "table/read/table_cache_limits.h"

#include <limits>
#include <string>

namespace ashlar::internal {

namespace {

// Returns how much the tables in a cache may be charged together. A limit of a
// number of tables counts 1 for each; a limit of bytes counts bytes.
size_t CapacityOf(const TableCacheOptions& options) {
  if (options.max_open_files == 0) return 0;
  if (options.max_table_bytes.has_value()) return *options.max_table_bytes;
  return options.max_open_files < 0
             ? std::numeric_limits<size_t>::max()
             : static_cast<size_t>(options.max_open_files);
}

// Returns how many shards, as a power of 2, leave each enough room.
int ShardBits(const TableCacheOptions& options) {
  constexpr uint64_t kLeastTables = 64;
  constexpr uint64_t kLeastBytes = uint64_t{64} << 20;
  int bits = options.table_cache_numshardbits;
  const auto fits = [&bits](uint64_t limit, uint64_t least) {
    return limit >> bits >= least;
  };
  while (bits > 0 && ((options.max_open_files >= 0 &&
                       !fits(static_cast<uint64_t>(options.max_open_files),
                             kLeastTables)) ||
                      (options.max_table_bytes.has_value() &&
                       !fits(*options.max_table_bytes, kLeastBytes)))) {
    --bits;
  }
  return bits;
}

}  // namespace

Status CheckTableCacheOptions(const TableCacheOptions& options) {
  if (options.max_open_files < -1) {
    return Status::InvalidArgument("max_open_files is " +
                                   std::to_string(options.max_open_files) +
                                   ", expected -1 or more");
  }
  constexpr int kMostShardBits = 16;
  if (options.table_cache_numshardbits < 0 ||
      options.table_cache_numshardbits > kMostShardBits) {
    return Status::InvalidArgument(
        "table_cache_numshardbits is " +
        std::to_string(options.table_cache_numshardbits) +
        ", expected 0 to 16");
  }
  return {};
}

LruCacheOptions TableCacheLimits(const TableCacheOptions& options) {
  LruCacheOptions lru;
  lru.capacity = CapacityOf(options);
  lru.num_shard_bits = ShardBits(options);
  // One order of use, in which a hit counts as much as an opening.
  lru.high_pri_pool_ratio = 0;
  lru.metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge;
  return lru;
}

}  // namespace ashlar::internal

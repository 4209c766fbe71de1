// RocksDB's caches as policies of cache_sim. This part is in the library that
// is loaded if RocksDB is set up. The calls are those of real_caches.cc.

#include <rocksdb/advanced_cache.h>
#include <rocksdb/cache.h>
#include <rocksdb/slice.h>

#include <memory>
#include <utility>

#include "tools/cache_sim/rocksdb_cache.h"

namespace ashlar::sim {

namespace {

using rocksdb::Cache;

const Cache::CacheItemHelper kNoValue(rocksdb::CacheEntryRole::kDataBlock);

class RocksDbCache final : public Policy {
 public:
  explicit RocksDbCache(std::shared_ptr<Cache> cache)
      : cache_(std::move(cache)) {}

  bool Access(uint32_t key) override {
    const uint64_t words[] = {0, key};
    const rocksdb::Slice slice(reinterpret_cast<const char*>(words),
                               sizeof words);
    Cache::Handle* handle = cache_->Lookup(slice, &kNoValue);
    const bool found = handle != nullptr;
    if (!found && !cache_->Insert(slice, nullptr, &kNoValue, 1, &handle).ok()) {
      return false;
    }
    cache_->Release(handle);
    return found;
  }

 private:
  const std::shared_ptr<Cache> cache_;
};

std::shared_ptr<Cache> MakeCache(RocksDbCacheType type,
                                 const PolicyOptions& options) {
  // The seed has 31 bits. Negative numbers have a special meaning.
  const auto hash_seed = static_cast<int32_t>(options.seed & INT32_MAX);
  if (type == RocksDbCacheType::kLru) {
    rocksdb::LRUCacheOptions lru;
    lru.capacity = options.capacity;
    lru.num_shard_bits = options.num_shard_bits;
    lru.high_pri_pool_ratio = 0;
    lru.metadata_charge_policy = rocksdb::kDontChargeCacheMetadata;
    lru.hash_seed = hash_seed;
    return lru.MakeSharedCache();
  }
  rocksdb::HyperClockCacheOptions clock(
      options.capacity, type == RocksDbCacheType::kClock ? 1 : 0,
      options.num_shard_bits, false, nullptr,
      rocksdb::kDontChargeCacheMetadata);
  clock.min_avg_entry_charge = 1;
  clock.hash_seed = hash_seed;
  return clock.MakeSharedCache();
}

}  // namespace

}  // namespace ashlar::sim

extern "C" __attribute__((visibility("default"))) ashlar::sim::Policy*
AshlarSimCache(ashlar::sim::RocksDbCacheType type,
               const ashlar::sim::PolicyOptions& options) {
  auto cache = ashlar::sim::MakeCache(type, options);
  if (cache == nullptr) return nullptr;
  return new ashlar::sim::RocksDbCache(std::move(cache));
}

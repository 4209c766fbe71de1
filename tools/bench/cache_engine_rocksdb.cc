// RocksDB's caches, as an engine of cache_bench. It is in the library that is
// loaded if RocksDB is installed.
//
// The calls are those that RocksDB's block-based tables make: keys of 16 bytes
// as slices, and a helper for each kind of value. The options match ours.

#include <rocksdb/advanced_cache.h>
#include <rocksdb/cache.h>
#include <rocksdb/slice.h>
#include <rocksdb/version.h>

#include <string>

#include "tools/bench/cache_loops.h"

namespace ashlar::bench {

namespace {

using rocksdb::Cache;

void DestroyValue(Cache::ObjectPtr value, rocksdb::MemoryAllocator*) {
  delete[] static_cast<char*>(value);
}

const Cache::CacheItemHelper kNoValue(rocksdb::CacheEntryRole::kDataBlock);
const Cache::CacheItemHelper kRealValue(rocksdb::CacheEntryRole::kDataBlock,
                                        &DestroyValue);

rocksdb::Slice SliceOf(const CacheKey& key) {
  static_assert(sizeof(CacheKey) == 16);
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

class RocksDbAccess final {
 public:
  using Handle = Cache::Handle*;
  static constexpr bool kStores = true;
  static constexpr bool kHints = false;
  static constexpr bool kBatches = false;

  RocksDbAccess(const CacheBenchOptions& options, std::shared_ptr<Cache> cache)
      : owned_(std::move(cache)),
        cache_(owned_.get()),
        helper_(options.real_values ? &kRealValue : &kNoValue),
        charge_(options.value_bytes) {}

  Handle Lookup(const CacheKey& key) {
    return cache_->Lookup(SliceOf(key), helper_);
  }
  void Release(Handle handle) { cache_->Release(handle); }
  bool Insert(const CacheKey& key, char* value, Handle* handle) {
    return cache_->Insert(SliceOf(key), value, helper_, charge_, handle).ok();
  }
  void Erase(const CacheKey& key) { cache_->Erase(SliceOf(key)); }
  const char* Value(Handle handle) {
    return static_cast<const char*>(cache_->Value(handle));
  }
  void GatherStats() {
    uint64_t charges = 0;
    cache_->ApplyToAllEntries(
        [&charges](const rocksdb::Slice&, Cache::ObjectPtr, size_t charge,
                   const Cache::CacheItemHelper*) { charges += charge; },
        {});
  }
  void Report(RunResult* result) {
    result->entries = cache_->GetOccupancyCount();
    result->usage_bytes = cache_->GetUsage();
  }

 private:
  const std::shared_ptr<Cache> owned_;
  Cache* const cache_;
  const Cache::CacheItemHelper* const helper_;
  const size_t charge_;
};

std::shared_ptr<Cache> MakeCache(const CacheBenchOptions& o) {
  // The seed has 31 bits. Negative numbers have a special meaning.
  const auto hash_seed = static_cast<int32_t>(o.seed & INT32_MAX);
  if (o.cache_type == "lru_cache") {
    rocksdb::LRUCacheOptions options;
    options.capacity = o.cache_size;
    options.num_shard_bits = o.num_shard_bits;
    options.strict_capacity_limit = o.strict_capacity_limit;
    options.metadata_charge_policy = rocksdb::kFullChargeCacheMetadata;
    options.hash_seed = hash_seed;
    return options.MakeSharedCache();
  }
  const bool fixed = o.cache_type == "hyper_clock_cache";
  rocksdb::HyperClockCacheOptions options(
      o.cache_size, fixed ? o.charge_estimate() : 0, o.num_shard_bits,
      o.strict_capacity_limit, nullptr, rocksdb::kFullChargeCacheMetadata);
  if (!fixed && o.value_bytes_estimate > 0) {
    options.min_avg_entry_charge = o.value_bytes_estimate;
  }
  options.eviction_effort_cap = o.eviction_effort_cap;
  options.hash_seed = hash_seed;
  return options.MakeSharedCache();
}

class RocksDbCacheEngine final : public CacheEngine {
 public:
  std::string Name() const override { return "rocksdb"; }
  std::string Describe(const CacheBenchOptions& options) const override {
    return "RocksDB " + std::to_string(ROCKSDB_MAJOR) + "." +
           std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH) +
           " " + DescribeCache(options);
  }
  bool HasType(const std::string& cache_type) const override {
    return cache_type == "hyper_clock_cache" ||
           cache_type == "auto_hyper_clock_cache" || cache_type == "lru_cache";
  }
  std::string Run(const std::string& benchmark,
                  const CacheBenchOptions& options, RunResult* result,
                  CacheLatencies* latencies) override {
    std::shared_ptr<Cache> cache = MakeCache(options);
    if (cache == nullptr)
      return "RocksDB did not make a cache with these options";
    RocksDbAccess access(options, std::move(cache));
    CacheLoops<RocksDbAccess> loops(options, &access);
    return loops.Run(benchmark, result, latencies);
  }
};

}  // namespace

}  // namespace ashlar::bench

extern "C" __attribute__((visibility("default"))) ashlar::bench::CacheEngine*
AshlarBenchCacheEngine() {
  return new ashlar::bench::RocksDbCacheEngine();
}

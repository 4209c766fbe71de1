// This library's caches, as an engine of cache_bench.

#include <string>

#include "ashlar/cache/cache_options.h"
#include "tools/bench/cache_loops.h"
#include "tools/bench/cache_record.h"

namespace ashlar::bench {

namespace {

constexpr CacheItemOps kNoValue = {.role = CacheEntryRole::kDataBlock};
constexpr CacheItemOps kRealValue = {
    .role = CacheEntryRole::kDataBlock,
    .destroy = [](void* value, MemoryAllocator*) {
      delete[] static_cast<char*>(value);
    }};

class AshlarAccess final {
 public:
  using Handle = CacheHandle*;
  static constexpr bool kStores = true;
  static constexpr bool kHints = true;
  static constexpr bool kBatches = true;

  AshlarAccess(const CacheBenchOptions& options, std::shared_ptr<Cache> cache)
      : owned_(std::move(cache)),
        cache_(owned_.get()),
        ops_(options.real_values ? &kRealValue : &kNoValue),
        charge_(options.value_bytes) {}

  Handle Lookup(const CacheKey& key) { return cache_->Lookup(key); }
  Handle Lookup(const CacheKey& key, uint32_t* hint) {
    return cache_->Lookup(key, hint);
  }
  void LookupBatch(std::span<const CacheKey> keys, Handle* handles) {
    cache_->LookupBatch(keys, handles);
  }
  void Release(Handle handle) { cache_->Release(handle); }
  bool Insert(const CacheKey& key, char* value, Handle* handle) {
    return cache_->Insert(key, value, ops_, charge_, handle).ok();
  }
  void Erase(const CacheKey& key) { cache_->Erase(key); }
  static const char* Value(Handle handle) {
    return static_cast<const char*>(handle->value());
  }
  void GatherStats() { cache_->CollectEntryStats(); }
  void Report(RunResult* result) {
    result->entries = cache_->GetOccupancyCount();
    result->table_bytes = cache_->GetTableBytes();
    result->usage_bytes = cache_->GetUsage();
  }

 private:
  const std::shared_ptr<Cache> owned_;
  Cache* const cache_;
  const CacheItemOps* const ops_;
  const size_t charge_;
};

Result<std::shared_ptr<Cache>> MakeCache(const CacheBenchOptions& o) {
  if (o.cache_type == "lru_cache") {
    return NewLruCache({.capacity = o.cache_size,
                        .num_shard_bits = o.num_shard_bits,
                        .strict_capacity_limit = o.strict_capacity_limit,
                        .hash_seed = o.seed});
  }
  HyperClockCacheOptions options{
      .capacity = o.cache_size,
      .estimated_entry_charge = o.charge_estimate(),
      .num_shard_bits = o.num_shard_bits,
      .strict_capacity_limit = o.strict_capacity_limit,
      .eviction_effort_cap = o.eviction_effort_cap,
      .hash_seed = o.seed};
  if (o.cache_type == "auto_hyper_clock_cache") {
    options.estimated_entry_charge = 0;
    if (o.value_bytes_estimate > 0) {
      options.min_avg_entry_charge = o.value_bytes_estimate;
    }
  }
  return NewHyperClockCache(options);
}

class AshlarCacheEngine final : public CacheEngine {
 public:
  std::string Name() const override { return "ashlar"; }
  std::string Describe(const CacheBenchOptions& options) const override {
    return "Ashlar " + DescribeCache(options);
  }
  bool HasType(const std::string& cache_type) const override {
    return cache_type == "hyper_clock_cache" ||
           cache_type == "auto_hyper_clock_cache" ||
           cache_type == "lru_cache" || cache_type == "fifo_cache";
  }
  std::string Run(const std::string& benchmark,
                  const CacheBenchOptions& options, RunResult* result,
                  CacheLatencies* latencies) override {
    if (IsRecordBenchmark(benchmark)) {
      return RunRecord(benchmark, options, result);
    }
    Result<std::shared_ptr<Cache>> made = MakeCache(options);
    if (!made.ok()) return made.status().ToString();
    AshlarAccess access(options, std::move(made).value());
    CacheLoops<AshlarAccess> loops(options, &access);
    return loops.Run(benchmark, result, latencies);
  }
};

}  // namespace

std::unique_ptr<CacheEngine> NewAshlarCacheEngine() {
  return std::make_unique<AshlarCacheEngine>();
}

}  // namespace ashlar::bench

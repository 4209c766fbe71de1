#include "tools/replay/simulated_cache.h"

#include <algorithm>

#include "ashlar/cache/cache_options.h"

namespace ashlar::sim {

namespace {

constexpr CacheItemOps kNoValue = {.role = CacheEntryRole::kDataBlock};

CacheMetadataChargePolicy PolicyOf(const SimulatedCacheOptions& options) {
  return options.charge_metadata ? CacheMetadataChargePolicy::kFullCharge
                                 : CacheMetadataChargePolicy::kDontCharge;
}

// One shard and a fixed seed, so that a replay gives the same each time. The
// sizes of blocks are not known beforehand, so the table sizes itself.
HyperClockCacheOptions ClockOptions(const SimulatedCacheOptions& options) {
  return {.capacity = options.capacity,
          .estimated_entry_charge = 0,
          .num_shard_bits = 0,
          .metadata_charge_policy = PolicyOf(options),
          .hash_seed = 1};
}

Result<std::shared_ptr<Cache>> MakeClock(const SimulatedCacheOptions& options) {
  return NewHyperClockCache(ClockOptions(options));
}

Result<std::shared_ptr<Cache>> MakeClockWithAdmission(
    const SimulatedCacheOptions& options) {
  HyperClockCacheOptions clock = ClockOptions(options);
  clock.admission = true;
  return NewHyperClockCache(clock);
}

Result<std::shared_ptr<Cache>> MakeLruOf(const SimulatedCacheOptions& options,
                                         double high_pri_pool_ratio) {
  return NewLruCache({.capacity = options.capacity,
                      .num_shard_bits = 0,
                      .high_pri_pool_ratio = high_pri_pool_ratio,
                      .metadata_charge_policy = PolicyOf(options),
                      .hash_seed = 1});
}

Result<std::shared_ptr<Cache>> MakeLru(const SimulatedCacheOptions& options) {
  return MakeLruOf(options, 0);
}

Result<std::shared_ptr<Cache>> MakeLruWithPools(
    const SimulatedCacheOptions& options) {
  return MakeLruOf(options, LruCacheOptions().high_pri_pool_ratio);
}

constexpr SimulatedCacheKind kKinds[] = {
    {"clock", "the hyper clock cache that sizes itself", MakeClock},
    {"clock_admission", "the same, with admission", MakeClockWithAdmission},
    {"lru", "the LRU cache with one list", MakeLru},
    {"lru_pools",
     "the LRU cache with half of its capacity for indexes, filters and blocks "
     "that were hit, as by default",
     MakeLruWithPools},
};

// As readers do by default (cache_index_and_filter_blocks_with_high_priority).
CachePriority PriorityOf(BlockAccessKind kind) {
  return kind == BlockAccessKind::kIndex || kind == BlockAccessKind::kFilter ||
                 kind == BlockAccessKind::kDictionary
             ? CachePriority::kHigh
             : CachePriority::kLow;
}

}  // namespace

std::span<const SimulatedCacheKind> SimulatedCacheKinds() { return kKinds; }

Status FindSimulatedCaches(std::string_view names,
                           std::vector<const SimulatedCacheKind*>* kinds) {
  while (true) {
    const size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    const auto* const found =
        std::ranges::find(kKinds, name, &SimulatedCacheKind::name);
    if (found == std::end(kKinds)) {
      return Status::InvalidArgument("unknown cache '" + std::string(name) +
                                     "'");
    }
    if (std::ranges::find(*kinds, found) != kinds->end()) {
      return Status::InvalidArgument("cache '" + std::string(name) +
                                     "' is listed twice");
    }
    kinds->push_back(found);
    if (comma == std::string_view::npos) return {};
    names.remove_prefix(comma + 1);
  }
}

Result<std::unique_ptr<SimulatedCache>> SimulatedCache::Make(
    const SimulatedCacheKind& kind, const SimulatedCacheOptions& options) {
  auto cache = kind.make(options);
  if (!cache.ok()) return cache.status();
  return std::unique_ptr<SimulatedCache>(
      new SimulatedCache(std::move(cache).value()));
}

Status SimulatedCache::Access(uint32_t block, uint64_t bytes,
                              BlockAccessKind kind, bool no_insert,
                              bool* was_found) {
  const CacheKey key = {0, block};
  CacheHandle* handle = cache_->Lookup(key);
  *was_found = handle != nullptr;
  if (handle == nullptr) {
    if (no_insert) return {};
    // Limits are not strict, so this fails only if memory runs out.
    Status status = cache_->Insert(key, nullptr, &kNoValue, bytes, &handle,
                                   PriorityOf(kind));
    if (!status.ok()) return status;
  }
  cache_->Release(handle);
  return {};
}

}  // namespace ashlar::sim

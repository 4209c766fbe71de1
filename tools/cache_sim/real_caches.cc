#include "tools/cache_sim/real_caches.h"

#include <utility>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/cache_options.h"

namespace ashlar::sim {

namespace {

constexpr CacheItemOps kNoValue = {.role = CacheEntryRole::kDataBlock};

class RealCache final : public Policy {
 public:
  explicit RealCache(std::shared_ptr<Cache> cache) : cache_(std::move(cache)) {}

  bool Access(uint32_t key) override {
    const CacheKey cache_key = {0, key};
    CacheHandle* handle = cache_->Lookup(cache_key);
    const bool found = handle != nullptr;
    // Limits are not strict here, so Insert fails only if memory runs out.
    if (!found &&
        !cache_->Insert(cache_key, nullptr, &kNoValue, 1, &handle).ok()) {
      return false;
    }
    cache_->Release(handle);
    return found;
  }

 private:
  const std::shared_ptr<Cache> cache_;
};

Result<std::unique_ptr<Policy>> Wrap(Result<std::shared_ptr<Cache>> cache) {
  if (!cache.ok()) return cache.status();
  return std::unique_ptr<Policy>(
      std::make_unique<RealCache>(std::move(cache).value()));
}

HyperClockCacheOptions ClockOptions(const PolicyOptions& options) {
  return {.capacity = options.capacity,
          .estimated_entry_charge = 1,
          .min_avg_entry_charge = 1,
          .num_shard_bits = options.num_shard_bits,
          .metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge,
          .hash_seed = options.seed};
}

}  // namespace

Result<std::unique_ptr<Policy>> MakeClock(const PolicyOptions& options,
                                          const Trace& /*trace*/) {
  return Wrap(NewHyperClockCache(ClockOptions(options)));
}

Result<std::unique_ptr<Policy>> MakeGrowingClock(const PolicyOptions& options,
                                                 const Trace& /*trace*/) {
  HyperClockCacheOptions clock = ClockOptions(options);
  clock.estimated_entry_charge = 0;
  return Wrap(NewHyperClockCache(clock));
}

Result<std::unique_ptr<Policy>> MakeClockWithAdmission(
    const PolicyOptions& options, const Trace& /*trace*/) {
  HyperClockCacheOptions clock = ClockOptions(options);
  clock.admission = true;
  return Wrap(NewHyperClockCache(clock));
}

Result<std::unique_ptr<Policy>> MakeGrowingClockWithAdmission(
    const PolicyOptions& options, const Trace& /*trace*/) {
  HyperClockCacheOptions clock = ClockOptions(options);
  clock.estimated_entry_charge = 0;
  clock.admission = true;
  return Wrap(NewHyperClockCache(clock));
}

Result<std::unique_ptr<Policy>> MakeLruCache(const PolicyOptions& options,
                                             const Trace& /*trace*/) {
  return Wrap(NewLruCache(
      {.capacity = options.capacity,
       .num_shard_bits = options.num_shard_bits,
       // Uses one list. With a pool for entries that were hit, it would be
       // another policy.
       .high_pri_pool_ratio = 0,
       .metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge,
       .hash_seed = options.seed}));
}

}  // namespace ashlar::sim

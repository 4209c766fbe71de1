#include "tools/cache_sim/tiered_caches.h"

#include <string>
#include <utility>

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/tiered_cache.h"

namespace ashlar::sim {

namespace {

// The value of all blocks, which have no bytes here.
char any_value = 0;

size_t NoBytes(const void* /*value*/) { return 0; }
void SaveNothing(const void* /*value*/, char* /*out*/) {}
Status CreateAny(const Slice& /*saved*/, const void* /*context*/,
                 MemoryAllocator* /*allocator*/, void** value, size_t* charge) {
  *value = &any_value;
  *charge = 1;
  return {};
}
constexpr CacheItemOps kBlockOps = {.role = CacheEntryRole::kDataBlock,
                                    .saved_size = NoBytes,
                                    .save_to = SaveNothing,
                                    .create = CreateAny};

void DestroySaved(void* value, MemoryAllocator* /*allocator*/) {
  delete static_cast<std::string*>(value);
}
constexpr CacheItemOps kSavedOps = {.destroy = DestroySaved};

class FoundBytes final : public SecondaryCacheResultHandle {
 public:
  explicit FoundBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  bool IsReady() override { return true; }
  void Wait() override {}
  std::optional<Slice> Value() override { return Slice(bytes_); }

 private:
  const std::string bytes_;
};

// A second tier that keeps the entries that were used last.
class ListOfSaved final : public SecondaryCache {
 public:
  explicit ListOfSaved(std::shared_ptr<Cache> list) : list_(std::move(list)) {}

  const char* Name() const override { return "ListOfSaved"; }
  Status Insert(const CacheKey& key, const Slice& saved) override {
    return list_->Insert(key, new std::string(saved.ToString()), &kSavedOps, 1);
  }
  bool Touch(const CacheKey& key) override {
    CacheHandle* const found = list_->Lookup(key);
    if (found != nullptr) list_->Release(found);
    return found != nullptr;
  }
  std::unique_ptr<SecondaryCacheResultHandle> Lookup(
      const CacheKey& key) override {
    CacheHandle* const found = list_->Lookup(key);
    if (found == nullptr) return nullptr;
    auto result = std::make_unique<FoundBytes>(
        *static_cast<const std::string*>(found->value()));
    list_->Release(found);
    return result;
  }
  void Erase(const CacheKey& key) override { list_->Erase(key); }
  void SetCapacity(size_t capacity) override { list_->SetCapacity(capacity); }
  // Returns the capacity as if blocks were compressed to half their size.
  size_t GetCapacity() const override { return (Entries() + 1) / 2; }
  size_t GetUsage() const override { return list_->GetUsage(); }
  SecondaryCacheStats GetStats() const override { return {}; }

 private:
  size_t Entries() const { return list_->GetCapacity(); }

  const std::shared_ptr<Cache> list_;
};

class TwoTiers final : public Policy {
 public:
  explicit TwoTiers(std::shared_ptr<TieredCache> cache)
      : cache_(std::move(cache)) {}

  bool Access(uint32_t key) override {
    const CacheKey cache_key = {0, key};
    CacheHandle* handle = cache_->Lookup(cache_key);
    if (handle == nullptr) {
      handle = cache_->LookupSecondary(cache_key, &kBlockOps, nullptr);
    }
    const bool found = handle != nullptr;
    if (!found &&
        !cache_->Insert(cache_key, &any_value, &kBlockOps, 1, &handle).ok()) {
      return false;
    }
    cache_->Release(handle);
    return found;
  }
  double SavedPerMiss() const override {
    const TieredCacheStats stats = cache_->GetStats();
    return stats.lookups == 0 ? 0
                              : static_cast<double>(stats.demotions) /
                                    static_cast<double>(stats.lookups);
  }

 private:
  const std::shared_ptr<TieredCache> cache_;
};

Result<std::unique_ptr<Policy>> Make(const PolicyOptions& options,
                                     bool admission) {
  auto first = NewHyperClockCache(
      {.capacity = options.capacity,
       .estimated_entry_charge = 1,
       .min_avg_entry_charge = 1,
       .num_shard_bits = options.num_shard_bits,
       .admission = admission,
       .metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge,
       .hash_seed = options.seed});
  if (!first.ok()) return first.status();
  auto list = NewLruCache(
      {.capacity = size_t{options.capacity} * options.second_tier,
       .num_shard_bits = 0,
       .high_pri_pool_ratio = 0,
       .metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge,
       .hash_seed = options.seed});
  if (!list.ok()) return list.status();
  auto tiers = NewTieredCache(
      {.primary = std::move(first).value(),
       .secondary = std::make_shared<ListOfSaved>(std::move(list).value()),
       .adm_policy = options.second_tier_policy,
       .estimated_entry_charge = 1,
       .hash_seed = options.seed});
  if (!tiers.ok()) return tiers.status();
  return std::unique_ptr<Policy>(
      std::make_unique<TwoTiers>(std::move(tiers).value()));
}

}  // namespace

Result<std::unique_ptr<Policy>> MakeTieredClock(const PolicyOptions& options,
                                                const Trace& /*trace*/) {
  return Make(options, /*admission=*/false);
}

Result<std::unique_ptr<Policy>> MakeTieredClockWithAdmission(
    const PolicyOptions& options, const Trace& /*trace*/) {
  return Make(options, /*admission=*/true);
}

}  // namespace ashlar::sim

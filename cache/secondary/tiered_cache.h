// JoinedTiers: the implementation of TieredCache.
//
// NewTieredCache makes it. It is a front of the first tier: handles and counts
// are those of the first tier, and a hit there costs one more call. This class
// has only the way between the tiers:
//
//   evicted -> saved_value -> Insert     by the thread that evicts, as its
//                                        eviction callback. No entry and no
//                                        lock of the first tier is involved
//   missed  -> Lookup, Wait -> create -> standalone handle, or promoted
//
// It keeps no count of bytes: each tier has its own. Thread-safe.
//
// The application may have written the second tier, and its functions may
// throw. All calls of it are made where that is caught: in Save and LookupEach,
// whose callers catch it, or by Ask.
#ifndef ASHLAR_CACHE_SECONDARY_TIERED_CACHE_H_
#define ASHLAR_CACHE_SECONDARY_TIERED_CACHE_H_

#include <memory>
#include <span>
#include <string>

#include "ashlar/cache/hash/key_hash.h"
#include "ashlar/cache/tiered_cache.h"
#include "cache/secondary/seen_once.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class JoinedTiers final : public TieredCache {
 public:
  explicit JoinedTiers(const TieredCacheOptions& options);

  const char* Name() const override { return "TieredCache"; }
  Cache& primary() const override { return *primary_; }
  SecondaryCache& secondary() const override { return *secondary_; }
  TieredCacheStats GetStats() const override;
  std::string Report() const override;

  CacheHandle* LookupSecondary(const CacheKey& key, const CacheItemOps* ops,
                               const void* create_context,
                               CachePriority priority,
                               bool fill_cache) override;
  void LookupSecondaryBatch(std::span<const CacheKey> keys,
                            const CacheItemOps* ops, const void* create_context,
                            CacheHandle** handles, CachePriority priority,
                            bool fill_cache) override;
  void Erase(const CacheKey& key) override {
    primary_->Erase(key);
    EraseSecondary(key);
  }

  Status Insert(const CacheKey& key, void* value, const CacheItemOps* ops,
                size_t charge, CacheHandle** handle,
                CachePriority priority) override {
    return primary_->Insert(key, value, ops, charge, handle, priority);
  }
  CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                const CacheItemOps* ops, size_t charge,
                                bool allow_uncharged) override {
    return primary_->CreateStandalone(key, value, ops, charge, allow_uncharged);
  }
  CacheHandle* Lookup(const CacheKey& key, SlotHint* slot_hint) override {
    return primary_->Lookup(key, slot_hint);
  }
  void LookupBatch(std::span<const CacheKey> keys, CacheHandle** handles,
                   SlotHint* slot_hints) override {
    primary_->LookupBatch(keys, handles, slot_hints);
  }
  void PrefetchSlot(SlotHint slot_hint) const override {
    primary_->PrefetchSlot(slot_hint);
  }
  bool Ref(CacheHandle* handle) override { return primary_->Ref(handle); }
  bool Release(CacheHandle* handle, bool erase_if_last_ref) override {
    return primary_->Release(handle, erase_if_last_ref);
  }
  CacheKey KeyOf(const CacheHandle& handle) const override {
    return primary_->KeyOf(handle);
  }
  void EraseUnRefEntries() override { primary_->EraseUnRefEntries(); }
  void SetCapacity(size_t capacity) override {
    primary_->SetCapacity(capacity);
  }
  size_t GetCapacity() const override { return primary_->GetCapacity(); }
  void SetStrictCapacityLimit(bool strict) override {
    primary_->SetStrictCapacityLimit(strict);
  }
  bool HasStrictCapacityLimit() const override {
    return primary_->HasStrictCapacityLimit();
  }
  size_t GetUsage() const override { return primary_->GetUsage(); }
  size_t GetPinnedUsage() const override { return primary_->GetPinnedUsage(); }
  size_t GetOccupancyCount() const override {
    return primary_->GetOccupancyCount();
  }
  size_t GetTableAddressCount() const override {
    return primary_->GetTableAddressCount();
  }
  size_t GetTableBytes() const override {
    return primary_->GetTableBytes() + promoted_next_.bytes() +
           demoted_next_.bytes();
  }
  void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) override {
    primary_->ForEachEntry(callback);
  }
  bool VisitEntry(
      const CacheKey& key,
      const std::function<void(const CacheEntryView&)>& callback) override {
    return primary_->VisitEntry(key, callback);
  }
  std::string ReportProblems() const override;

 private:
  // What the lookups of one call have in common.
  struct Wanted {
    const CacheItemOps* ops;
    const void* context;
    CachePriority priority;
    bool fill_cache;
  };

  // Returns what `call` returns. If it throws, counts a failure, and returns
  // `otherwise`.
  template <typename T, typename Call>
  T Ask(T otherwise, const Call& call) const noexcept {
    try {
      return call();
    } catch (...) {
      failures_.FetchAdd(1);
      return otherwise;
    }
  }
  size_t SecondaryCapacity() const noexcept {
    return Ask(size_t{0}, [this] { return secondary_->GetCapacity(); });
  }
  void EraseSecondary(const CacheKey& key) noexcept {
    Ask(false, [&] {
      secondary_->Erase(key);
      return true;
    });
  }
  const char* SecondaryName() const noexcept {
    return Ask("(no name)", [this] { return secondary_->Name(); });
  }
  SecondaryCacheStats SecondaryStats() const noexcept {
    return Ask(SecondaryCacheStats(),
               [this] { return secondary_->GetStats(); });
  }
  size_t KeysInBoth(const TieredCacheOptions& options) const;
  uint64_t HashOf(const CacheKey& key) const { return KeyHash(key, seed_); }
  bool Demote(const CacheKey& key, const CacheHandle& entry, bool was_hit);
  void Save(const CacheKey& key, const CacheHandle& entry, bool was_hit);
  bool Admits(const CacheKey& key, bool was_hit);
  // Returns the handle that a ready result leads to. It may be null.
  CacheHandle* Take(const CacheKey& key, const Wanted& wanted,
                    SecondaryCacheResultHandle* result);
  CacheHandle* Hold(const CacheKey& key, const Wanted& wanted, void* value,
                    size_t charge);
  void LookupEach(std::span<const CacheKey> keys, const Wanted& wanted,
                  CacheHandle** handles);

  const std::shared_ptr<Cache> primary_;
  const std::shared_ptr<SecondaryCache> secondary_;
  const TieredAdmissionPolicy policy_;
  const HashSeed seed_;
  mutable RelaxedAtomic<uint64_t> failures_;  // of the second tier
  SeenOnce promoted_next_;  // keys that were found in the second tier
  SeenOnce demoted_next_;   // keys that were evicted

  RelaxedAtomic<uint64_t> lookups_;
  RelaxedAtomic<uint64_t> hits_;
  RelaxedAtomic<uint64_t> promotions_;
  RelaxedAtomic<uint64_t> evictions_;
  RelaxedAtomic<uint64_t> demotions_;
  RelaxedAtomic<uint64_t> touches_;
  RelaxedAtomic<uint64_t> not_admitted_;
  RelaxedAtomic<uint64_t> damaged_;
  RelaxedAtomic<uint64_t> refused_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_SECONDARY_TIERED_CACHE_H_

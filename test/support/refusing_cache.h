// A cache that refuses inserts with a handle from a chosen one on, counts them
// by role, and otherwise forwards to another cache. Any number of threads may
// use it; RefuseFrom needs that no thread uses it meanwhile.
#ifndef ASHLAR_TEST_SUPPORT_REFUSING_CACHE_H_
#define ASHLAR_TEST_SUPPORT_REFUSING_CACHE_H_

#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "ashlar/cache/cache.h"

namespace ashlar::testing {

class RefusingCache final : public Cache {
 public:
  explicit RefusingCache(std::shared_ptr<Cache> cache)
      : Cache(nullptr), cache_(std::move(cache)) {}

  // The n-th insert from now on fails, counted from 1, and those that the
  // reservation tries in its place. Later ones succeed.
  void RefuseFrom(uint64_t n) {
    refused_ = n;
    inserts_ = 0;
    for (auto& count : by_role_) count = 0;
  }
  uint64_t inserts() const { return inserts_; }
  uint64_t inserts(CacheEntryRole role) const {
    return by_role_[static_cast<size_t>(role)];
  }

  Status Insert(const CacheKey& key, void* value, const CacheItemOps* ops,
                size_t charge, CacheHandle** handle,
                CachePriority priority) override {
    // A reservation tries 16 keys.
    constexpr uint64_t kTries = 16;
    const uint64_t n = ++inserts_;
    ++by_role_[static_cast<size_t>(ops->role)];
    if (n >= refused_ && n - refused_ < kTries) {
      return Status::MemoryLimit("refused");
    }
    return cache_->Insert(key, value, ops, charge, handle, priority);
  }

  CacheHandle* Lookup(const CacheKey& key, SlotHint* hint) override {
    return cache_->Lookup(key, hint);
  }
  void LookupBatch(std::span<const CacheKey> keys, CacheHandle** handles,
                   SlotHint* hints) override {
    cache_->LookupBatch(keys, handles, hints);
  }
  const char* Name() const override { return "Refusing"; }
  CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                const CacheItemOps* ops, size_t charge,
                                bool allow_uncharged) override {
    return cache_->CreateStandalone(key, value, ops, charge, allow_uncharged);
  }
  bool Ref(CacheHandle* handle) override { return cache_->Ref(handle); }
  bool Release(CacheHandle* handle, bool erase_if_last_ref) override {
    return cache_->Release(handle, erase_if_last_ref);
  }
  CacheKey KeyOf(const CacheHandle& handle) const override {
    return cache_->KeyOf(handle);
  }
  void Erase(const CacheKey& key) override { cache_->Erase(key); }
  void EraseUnRefEntries() override { cache_->EraseUnRefEntries(); }
  void SetCapacity(size_t capacity) override { cache_->SetCapacity(capacity); }
  size_t GetCapacity() const override { return cache_->GetCapacity(); }
  void SetStrictCapacityLimit(bool strict) override {
    cache_->SetStrictCapacityLimit(strict);
  }
  bool HasStrictCapacityLimit() const override {
    return cache_->HasStrictCapacityLimit();
  }
  size_t GetUsage() const override { return cache_->GetUsage(); }
  size_t GetPinnedUsage() const override { return cache_->GetPinnedUsage(); }
  size_t GetOccupancyCount() const override {
    return cache_->GetOccupancyCount();
  }
  size_t GetTableAddressCount() const override {
    return cache_->GetTableAddressCount();
  }
  size_t GetTableBytes() const override { return cache_->GetTableBytes(); }
  void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) override {
    cache_->ForEachEntry(callback);
  }
  std::string ReportProblems() const override {
    return cache_->ReportProblems();
  }

 private:
  const std::shared_ptr<Cache> cache_;
  uint64_t refused_ = std::numeric_limits<uint64_t>::max();
  std::atomic<uint64_t> inserts_ = 0;
  std::array<std::atomic<uint64_t>, kCacheEntryRoles> by_role_ = {};
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_REFUSING_CACHE_H_

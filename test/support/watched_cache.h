// A cache that counts the lookups that find nothing, and otherwise forwards to
// another cache. Any number of threads may use it.
#ifndef ASHLAR_TEST_SUPPORT_WATCHED_CACHE_H_
#define ASHLAR_TEST_SUPPORT_WATCHED_CACHE_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "ashlar/cache/cache.h"

namespace ashlar::testing {

class WatchedCache final : public Cache {
 public:
  explicit WatchedCache(std::shared_ptr<Cache> cache)
      : Cache(nullptr), cache_(std::move(cache)) {}

  // The next lookup that finds nothing calls this once, before it returns.
  std::function<void()> on_miss;

  // Waits until `n` lookups have found nothing.
  void AwaitMisses(int n) {
    std::unique_lock lock(mutex_);
    missed_.wait(lock, [&] { return misses_ >= n; });
  }

  CacheHandle* Lookup(const CacheKey& key, SlotHint* hint) override {
    return Seen(cache_->Lookup(key, hint));
  }
  void LookupBatch(std::span<const CacheKey> keys, CacheHandle** handles,
                   SlotHint* hints) override {
    cache_->LookupBatch(keys, handles, hints);
    for (size_t i = 0; i < keys.size(); ++i) Seen(handles[i]);
  }

  const char* Name() const override { return "Watched"; }
  Status Insert(const CacheKey& key, void* value, const CacheItemOps* ops,
                size_t charge, CacheHandle** handle,
                CachePriority priority) override {
    return cache_->Insert(key, value, ops, charge, handle, priority);
  }
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
  bool VisitEntry(
      const CacheKey& key,
      const std::function<void(const CacheEntryView&)>& callback) override {
    return cache_->VisitEntry(key, callback);
  }
  std::string ReportProblems() const override {
    return cache_->ReportProblems();
  }

 private:
  CacheHandle* Seen(CacheHandle* found) {
    if (found != nullptr) return found;
    if (on_miss) std::exchange(on_miss, nullptr)();
    const std::scoped_lock lock(mutex_);
    ++misses_;
    missed_.notify_all();
    return nullptr;
  }

  const std::shared_ptr<Cache> cache_;
  std::mutex mutex_;
  std::condition_variable missed_;
  int misses_ = 0;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_WATCHED_CACHE_H_

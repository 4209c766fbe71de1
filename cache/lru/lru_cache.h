// LruCache: evicts the least recently used entry first, and entries of low
// priority before others.
//
// It has shards, chosen by the lower bits of the hash, each with its part of
// the capacity. NewLruCache makes it. It is the yardstick of the other caches
// and the oracle of their tests, so it is simple rather than fast. It ignores
// slot hints. Thread-safe.
#ifndef ASHLAR_CACHE_LRU_LRU_CACHE_H_
#define ASHLAR_CACHE_LRU_LRU_CACHE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/hash/key_hash.h"
#include "ashlar/util/sync/mutex.h"
#include "cache/lru/lru_shard.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class LruCache final : public Cache {
 public:
  // Requires: the options are valid.
  LruCache(const LruCacheOptions& options, size_t shards);

  const char* Name() const override { return "LRUCache"; }
  Status Insert(const CacheKey& key, void* value, const CacheItemOps* ops,
                size_t charge, CacheHandle** handle,
                CachePriority priority) override;
  CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                const CacheItemOps* ops, size_t charge,
                                bool allow_uncharged) override;
  CacheHandle* Lookup(const CacheKey& key, SlotHint* slot_hint) override;
  void LookupBatch(std::span<const CacheKey> keys, CacheHandle** handles,
                   SlotHint* slot_hints) override;
  bool Ref(CacheHandle* handle) override;
  bool Release(CacheHandle* handle, bool erase_if_last_ref) override;
  CacheKey KeyOf(const CacheHandle& handle) const override {
    return static_cast<const LruEntry&>(handle).key;
  }
  void Erase(const CacheKey& key) override;
  void EraseUnRefEntries() override;

  void SetCapacity(size_t capacity) override;
  size_t GetCapacity() const override { return capacity_.Load(); }
  void SetStrictCapacityLimit(bool strict_capacity_limit) override;
  bool HasStrictCapacityLimit() const override { return strict_.Load(); }

  size_t GetUsage() const override;
  size_t GetPinnedUsage() const override;
  size_t GetOccupancyCount() const override;
  size_t GetTableAddressCount() const override;
  size_t GetTableBytes() const override;
  void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) override;
  bool VisitEntry(
      const CacheKey& key,
      const std::function<void(const CacheEntryView&)>& callback) override;
  std::string ReportProblems() const override;

 private:
  size_t ShardNumber(uint64_t hash) const {
    return hash & (shards_.size() - 1);
  }
  LruShard& ShardOf(uint64_t hash) { return *shards_[ShardNumber(hash)]; }
  void ShareCapacity() ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  size_t Sum(size_t LruShard::Figures::*figure) const;

  const HashSeed seed_;
  std::vector<std::unique_ptr<LruShard>> shards_;  // 2^n
  Mutex mutex_;                                    // of changes to these
  RelaxedAtomic<size_t> capacity_;
  RelaxedAtomic<bool> strict_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_LRU_LRU_CACHE_H_

// LruShard: a shard of the LRU cache, with a mutex and a capacity of its own.
//
// Used by LruCache. It decides what may be done with an entry, and when.
// LruTable and LruPools only keep the entries. While usage exceeds the
// capacity, there is nothing left to evict: each call leaves it so. Values are
// destroyed, and the eviction callback is called, after the mutex is released.
// Thread-safe.
#ifndef ASHLAR_CACHE_LRU_LRU_SHARD_H_
#define ASHLAR_CACHE_LRU_LRU_SHARD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "ashlar/cache/cache.h"
#include "ashlar/util/sync/mutex.h"
#include "cache/lru/lru_entry.h"
#include "cache/lru/lru_pools.h"
#include "cache/lru/lru_table.h"

namespace ashlar::internal {

// What a shard needs from its cache.
struct LruOwner {
  const Cache::EvictionCallback* eviction_callback;
  MemoryAllocator* allocator;
  uint32_t (*age_clock)();
  size_t metadata_charge;
  double high_pri_pool_ratio;
  double low_pri_pool_ratio;
};

// On cache lines of its own, against false sharing.
class alignas(64) LruShard {
 public:
  LruShard(const LruOwner& owner, const HashSeed& seed)
      : owner_(owner), table_(seed) {}
  LruShard(const LruShard&) = delete;
  LruShard& operator=(const LruShard&) = delete;
  ~LruShard();

  // As in Cache.
  Status Insert(const CacheKey& key, uint64_t hash, void* value,
                const CacheItemOps* ops, size_t charge, CacheHandle** handle,
                CachePriority priority);
  CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                const CacheItemOps* ops, size_t charge,
                                bool allow_uncharged);
  CacheHandle* Lookup(const CacheKey& key, uint64_t hash);
  // Looks up those keys of a batch whose numbers are in `which`, in this order.
  void LookupEach(std::span<const uint8_t> which, const CacheKey* keys,
                  const uint64_t* hashes, CacheHandle** handles);
  bool Ref(LruEntry* entry);
  bool Release(LruEntry* entry, bool erase_if_last_ref);
  void Erase(const CacheKey& key, uint64_t hash);
  void EraseUnRefEntries();
  void ForEachEntry(const std::function<void(const CacheEntryView&)>& callback);
  bool VisitEntry(const CacheKey& key, uint64_t hash,
                  const std::function<void(const CacheEntryView&)>& callback);

  void SetCapacity(size_t capacity, bool strict);

  struct Figures {
    size_t usage = 0;
    size_t pinned_usage = 0;
    size_t occupancy = 0;
    size_t buckets = 0;
    size_t table_bytes = 0;
  };
  Figures GetFigures() const;

 private:
  // Entries in the order in which they came, linked by next_in_bucket.
  struct List {
    LruEntry* first = nullptr;
    LruEntry* last = nullptr;

    void Add(LruEntry* entry);
  };
  // Entries that nobody can reach any more, to be destroyed without the mutex.
  struct Leaving {
    List evicted;
    List erased;
  };

  enum class Fit : uint8_t { kAsFarAsPossible, kOrNothing };

  bool HasRoomFor(size_t charge) const
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_)) {
    return usage_ <= capacity_ && charge <= capacity_ - usage_;
  }
  // Evicts until there is room for `charge` more bytes. With kOrNothing,
  // returns false if that is impossible.
  bool MakeRoom(size_t charge, Fit fit, Leaving* leaving)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  CacheHandle* Take(const CacheKey& key, uint64_t hash)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  // Takes an entry out of the table. Requires: it is in no pool.
  void TakeOut(LruEntry* entry)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  // Takes an entry out of the counts, into `leaving`. Requires: it is in no
  // table and no pool, and nobody refers to it.
  void Forget(LruEntry* entry, List* leaving)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  bool TryInsert(LruEntry* entry, uint64_t hash, bool wants_handle,
                 Leaving* leaving)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  // An entry that a walk looks at.
  struct Visited {
    LruEntry* entry;
    CacheEntryView view;
  };
  Visited Visit(LruEntry* entry) const
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));
  void EndVisits(const Visited* visited, size_t n);
  void End(const Leaving& leaving) const;
  void EndEvictedValue(const LruEntry& entry) const;
  void EndValue(const LruEntry& entry) const;

  const LruOwner owner_;
  mutable Mutex mutex_;
  size_t capacity_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  bool strict_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = false;
  size_t usage_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  // Entries that are in the table, or erased and still referred to.
  size_t occupancy_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = 0;
  LruTable table_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  LruPools pools_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_LRU_LRU_SHARD_H_

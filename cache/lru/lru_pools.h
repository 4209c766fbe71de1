// LruPools: the order in which a shard evicts.
//
// Used by LruShard. There are three lists of entries that are not in use, each
// with the newest first. An entry comes in at the new end of the pool of its
// priority, or of the high pool if it was ever hit. What is too much for a pool
// moves from its old end to the new end of the pool below. So an entry that is
// used once passes those that are used again and again. Eviction begins at the
// old end of the bottom pool. Protected by the shard's mutex.
#ifndef ASHLAR_CACHE_LRU_LRU_POOLS_H_
#define ASHLAR_CACHE_LRU_LRU_POOLS_H_

#include <array>
#include <cstddef>

#include "cache/lru/lru_entry.h"

namespace ashlar::internal {

class LruPools {
 public:
  LruPools();
  // Not copyable: the lists know their ends by address.
  LruPools(const LruPools&) = delete;
  LruPools& operator=(const LruPools&) = delete;

  // Sets the capacities of the two upper pools, in bytes. The bottom pool takes
  // the rest.
  void SetCapacities(size_t high, size_t low);

  // Adds the entry as the newest of its pool.
  void Add(LruEntry* entry);
  void Remove(LruEntry* entry);

  // Returns the next entry to evict that no walk looks at, or null.
  LruEntry* Oldest() const;
  // Returns any entry, or null if there is none.
  LruEntry* Any() const;

  size_t usage() const { return usage_; }

  // Returns CacheEntryView::stay of an entry that is in a pool, or in use. The
  // pools count the entries that come into one, modulo 2^32: an entry that
  // stayed where it is while 2^32 others came looks newer than it is.
  uint64_t StayOf(const LruEntry& entry, bool in_use) const;

 private:
  struct Pool {
    LruLink ends;  // .older is the newest, .newer the oldest
    size_t usage = 0;
    size_t capacity = 0;
  };

  Pool& PoolOf(LruPool pool) { return pools_[static_cast<size_t>(pool)]; }
  void AddTo(LruPool its_pool, LruEntry* entry);
  void Overflow(LruPool from, LruPool to);

  std::array<Pool, kLruPools> pools_;
  size_t usage_ = 0;
  uint32_t came_in_ = 0;  // how many came into a pool, modulo 2^32
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_LRU_LRU_POOLS_H_

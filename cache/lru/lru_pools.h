// LruPools: the order in which a shard evicts.
//
// Three lists, newest first, of what nobody uses. An entry comes in at the new
// end of the pool of its priority, the high one if it was ever hit. What is too
// much for a pool goes over its old end to the new end of the pool below: so an
// entry that is used once goes past those that are used again and again.
// Eviction begins at the old end of the bottom pool. Belongs to the shard's
// mutex.
#ifndef ASHLAR_CACHE_LRU_LRU_POOLS_H_
#define ASHLAR_CACHE_LRU_LRU_POOLS_H_

#include <array>
#include <cstddef>

#include "cache/lru/lru_entry.h"

namespace ashlar::internal {

class LruPools {
 public:
  LruPools();
  // Lists know their ends by address.
  LruPools(const LruPools&) = delete;
  LruPools& operator=(const LruPools&) = delete;

  // Of the two upper pools; the bottom one takes the rest.
  void SetCapacities(size_t high, size_t low);

  // As the newest of its pool.
  void Add(LruEntry* entry);
  void Remove(LruEntry* entry);

  // The first to go that no walk looks at, or null.
  LruEntry* Oldest() const;
  // Any, as long as there is one.
  LruEntry* Any() const;

  size_t usage() const { return usage_; }

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
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_LRU_LRU_POOLS_H_

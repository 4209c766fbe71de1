// LruTable: finds a shard's entries by key. A chained hash table that grows.
//
// Used by LruShard. The upper bits of the hash choose the bucket. So growing
// keeps the order of entries, and a walk can continue where it stopped. All
// keys are different: the shard looks before it inserts. Protected by the
// shard's mutex.
#ifndef ASHLAR_CACHE_LRU_LRU_TABLE_H_
#define ASHLAR_CACHE_LRU_LRU_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ashlar/cache/hash/key_hash.h"
#include "cache/lru/lru_entry.h"

namespace ashlar::internal {

class LruTable {
 public:
  explicit LruTable(const HashSeed& seed)
      : seed_(seed), buckets_(size_t{1} << (64 - shift_)) {}

  LruEntry* Find(const CacheKey& key, uint64_t hash) const {
    LruEntry* entry = buckets_[hash >> shift_];
    while (entry != nullptr && entry->key != key) entry = entry->next_in_bucket;
    return entry;
  }
  void Insert(LruEntry* entry, uint64_t hash);
  void Remove(const LruEntry* entry);

  // Calls visit(entry) for the entries of some buckets, beginning with the
  // hashes that begin with `position`. Returns the position at which to
  // continue, or 0 if that was the last bucket. Requires: `visit` does not
  // change the table.
  template <typename Visit>
  uint64_t Walk(uint64_t position, Visit visit) const;

  size_t BucketCount() const { return buckets_.size(); }
  size_t Bytes() const { return buckets_.size() * sizeof(LruEntry*); }

 private:
  // The size of a step of a walk. Other threads wait for that long.
  static constexpr size_t kBucketsAStep = 256;
  static constexpr size_t kEntriesAStep = 32;

  void Grow();

  const HashSeed seed_;
  int shift_ = 60;
  size_t entries_ = 0;
  std::vector<LruEntry*> buckets_;
};

template <typename Visit>
uint64_t LruTable::Walk(uint64_t position, Visit visit) const {
  size_t entries = 0;
  size_t bucket = position >> shift_;
  for (size_t step = 0; step < kBucketsAStep && entries < kEntriesAStep;
       ++step, ++bucket) {
    if (bucket == buckets_.size()) return 0;
    for (LruEntry* entry = buckets_[bucket]; entry != nullptr;
         entry = entry->next_in_bucket) {
      visit(entry);
      ++entries;
    }
  }
  return static_cast<uint64_t>(bucket) << shift_;  // 0 past the last bucket
}

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_LRU_LRU_TABLE_H_

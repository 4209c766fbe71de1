// LruTable: a shard's entries by key, a chained hash table that grows.
//
// Buckets go by the upper bits of the hash, so that growing keeps the order of
// entries and a walk can go on where it stopped. Keys are unlike: the shard
// looks before it inserts. Belongs to the shard's mutex.
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

  // Calls visit(entry) for the entries of some buckets, from where the hashes
  // begin with `position` on; it must not change the table. Where to go on; 0:
  // that was the last one.
  template <typename Visit>
  uint64_t Walk(uint64_t position, Visit visit) const;

  size_t BucketCount() const { return buckets_.size(); }
  size_t Bytes() const { return buckets_.size() * sizeof(LruEntry*); }

 private:
  // Of each step of a walk: others wait so long.
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

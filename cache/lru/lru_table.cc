#include "cache/lru/lru_table.h"

#include <cassert>
#include <new>
#include <utility>

namespace ashlar::internal {

void LruTable::Insert(LruEntry* entry, uint64_t hash) {
  assert(Find(entry->key, hash) == nullptr);
  if (entries_ >= buckets_.size()) Grow();
  ++entries_;
  LruEntry*& bucket = buckets_[hash >> shift_];
  entry->next_in_bucket = std::exchange(bucket, entry);
}

void LruTable::Remove(const LruEntry* entry) {
  LruEntry** link = &buckets_[KeyHash(entry->key, seed_) >> shift_];
  while (*link != entry) link = &(*link)->next_in_bucket;
  *link = entry->next_in_bucket;
  --entries_;
}

// Without memory for more buckets, chains become longer.
void LruTable::Grow() {
  std::vector<LruEntry*> old;
  try {
    old.resize(buckets_.size() * 2);
  } catch (const std::bad_alloc&) {
    return;
  }
  old.swap(buckets_);
  --shift_;
  for (LruEntry* entry : old) {
    while (entry != nullptr) {
      LruEntry*& bucket = buckets_[KeyHash(entry->key, seed_) >> shift_];
      LruEntry* const next = entry->next_in_bucket;
      entry->next_in_bucket = std::exchange(bucket, entry);
      entry = next;
    }
  }
}

}  // namespace ashlar::internal

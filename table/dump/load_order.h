// LoadOrder: keeps what is loaded within the room of the cache, and in the
// order in which the old cache would have evicted it.
//
// A dump begins with what stays longest. What is inserted first is the first to
// be evicted, though, in a cache that goes by recency. So entries that were hit
// in the old cache are looked up again, from the last to the first: they are
// then in their old order, and before those that were never hit. This is done
// at the end, and once before the cache is nearly full, since some shards are
// full earlier than others, and begin to evict.
//
// One thread uses each object. Other threads may use the cache.
#ifndef ASHLAR_TABLE_DUMP_LOAD_ORDER_H_
#define ASHLAR_TABLE_DUMP_LOAD_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ashlar/cache/cache.h"

namespace ashlar::internal {

class LoadOrder {
 public:
  // A cache charges at most this much for an entry itself, without its value.
  // In bytes.
  static constexpr size_t kOverhead = 128;

  explicit LoadOrder(Cache* cache)
      : cache_(*cache), entries_(cache->GetOccupancyCount()) {
    LookAtRoom();
  }

  // Returns whether the cache has room for an entry of this charge, in bytes.
  bool HasRoom(size_t charge) {
    const size_t needed = charge + kOverhead;
    if (needed <= room_ && ++since_looked_ < kOften) return true;
    LookAtRoom();
    if (evicts_) return false;
    if (!restored_ && room_ <= cache_.GetCapacity() / 8) {
      restored_ = true;
      Restore();
    }
    return needed <= room_;
  }
  // Counts an entry that came into the cache.
  void CountLoaded(size_t charge) {
    room_ -= std::min(room_, charge + kOverhead);
    ++came_;
  }
  // Notes an entry that was hit in the old cache. To be called in the order of
  // the dump. It need not be in the cache.
  void NoteHit(const CacheKey& key) { hit_.push_back(key); }
  // To be called when nothing more is loaded.
  void Restore() {
    for (size_t i = hit_.size(); i-- > 0;) {
      CacheHandle* const handle = cache_.Lookup(hit_[i]);
      if (handle != nullptr) cache_.Release(handle);
    }
  }

 private:
  static constexpr int kOften = 64;

  // Other threads use room too.
  void LookAtRoom() {
    const size_t capacity = cache_.GetCapacity();
    room_ = capacity - std::min(capacity, cache_.GetUsage());
    since_looked_ = 0;
    // A cache whose table is full has room in bytes, and evicts all the same.
    const size_t entries = cache_.GetOccupancyCount();
    evicts_ |= came_ >= kOften / 2 && entries < entries_ + came_ / 2;
    if (came_ >= kOften / 2) {
      came_ = 0;
      entries_ = entries;
    }
  }

  Cache& cache_;
  size_t room_ = 0;
  int since_looked_ = 0;
  size_t came_ = 0;     // since the entries were counted
  size_t entries_ = 0;  // that there were then
  bool evicts_ = false;
  bool restored_ = false;
  std::vector<CacheKey> hit_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DUMP_LOAD_ORDER_H_

// What the FIFO cache is compared with: the same job without threads, and the
// same job done by a map and a list with a mutex.
//
// Used by record_bench. The entries are those of the FIFO cache.
#ifndef ASHLAR_TOOLS_BENCH_RECORD_PEERS_H_
#define ASHLAR_TOOLS_BENCH_RECORD_PEERS_H_

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ashlar/cache/fifo_cache.h"
#include "ashlar/util/sync/mutex.h"

namespace ashlar::bench {

using RecordedBlocks = FifoCache<CacheKey, uint64_t>;
using RecordEntry = RecordedBlocks::Entry;

// A hash table with open addressing and linear probing, and nothing else. For
// one thread.
class BareTable {
 public:
  explicit BareTable(size_t bytes) : slots_(bytes / sizeof(Slot)) {}

  size_t most_entries() const { return slots_.size() / 2; }

  void Insert(const RecordEntry& entry) {
    size_t i = PlaceOf(entry.key);
    while (slots_[i].key != CacheKey{}) i = Next(i);
    slots_[i] = {entry.key, entry.value};
  }
  void Erase(const CacheKey& key) {
    size_t hole = PlaceOf(key);
    while (slots_[hole].key != key) hole = Next(hole);
    // Entries after the hole move up, so that every probe still finds its
    // entry.
    for (size_t i = Next(hole); slots_[i].key != CacheKey{}; i = Next(i)) {
      const size_t home = PlaceOf(slots_[i].key);
      const bool stays =
          hole <= i ? hole < home && home <= i : hole < home || home <= i;
      if (stays) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole].key = {};
  }

 private:
  struct Slot {
    CacheKey key;
    uint64_t value = 0;
  };
  size_t PlaceOf(const CacheKey& key) const {
    return internal::ScaleHash(FifoKeyHash<CacheKey>()(key), slots_.size());
  }
  size_t Next(size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  std::vector<Slot> slots_;
};

// A map and a list, both with one node per entry: the obvious first version.
class MutexedLru {
 public:
  explicit MutexedLru(size_t entries) : most_(entries) {
    map_.reserve(entries);
  }

  void Record(const RecordEntry& entry) {
    const internal::MutexLock lock(&mutex_);
    const auto [at, inserted] = map_.try_emplace(entry.key);
    if (!inserted) list_.erase(at->second);
    list_.push_front(entry);
    at->second = list_.begin();
    if (list_.size() <= most_) return;
    map_.erase(list_.back().key);
    list_.pop_back();
  }

 private:
  const size_t most_;
  internal::Mutex mutex_;
  std::list<RecordEntry> list_;
  std::unordered_map<CacheKey, std::list<RecordEntry>::iterator,
                     FifoKeyHash<CacheKey>>
      map_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_RECORD_PEERS_H_

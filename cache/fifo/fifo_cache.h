// FifoCache: a memory of small entries, fed by the block, oldest out first.
//
// For what was evicted, seen or waited for lately: fed through a
// ConcurrentWriteBuffer, looked up by any thread. Add and Lookup allocate
// nothing. Layout and cost: fifo_store.h.
//
// The capacity counts all bytes, this object and its tables included (but not
// the allocator's own). All of it is taken when it is set, and entries come and
// go within it, so a byte count cannot drift: there is none. Whole blocks of
// one page are evicted. Below kLeastCapacity nothing is kept.
//
// Threads. Add and SetCapacity take a mutex, which a write buffer's sink finds
// free but while the capacity changes. Lookups take no lock and never wait;
// they pass a gate, for a change of capacity takes memory away. It waits for
// those that are inside, not for those that come later, so lookups cannot keep
// it from its end.
#ifndef ASHLAR_CACHE_FIFO_FIFO_CACHE_H_
#define ASHLAR_CACHE_FIFO_FIFO_CACHE_H_

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "cache/fifo/fifo_store.h"
#include "util/status.h"
#include "util/sync/mutex.h"
#include "util/sync/reader_gate.h"

namespace ashlar::internal {

// Of block keys, without a seed: who can choose them may make chains long.
struct CacheKeyHash {
  uint64_t operator()(const CacheKey& key) const {
    constexpr HashSeed kSeed = {0x243f6a8885a308d3, 0x13198a2e03707344};
    return KeyHash(key, kSeed);
  }
};

template <typename Key, typename Value, typename Hash = CacheKeyHash>
class FifoCache {
  using Store = FifoStore<Key, Value, Hash>;

 public:
  using Entry = typename Store::Entry;

  // With a capacity of 0, until another one is set.
  FifoCache() = default;
  FifoCache(const FifoCache&) = delete;
  FifoCache& operator=(const FifoCache&) = delete;
  ~FifoCache() { delete store_.Load(); }

  // Has effect at once: the newest entries that fit stay, and the memory of
  // before is given back when this returns (until then both are there). 0: off.
  // MemoryLimit, where there is no memory: all is as it was.
  Status SetCapacity(size_t bytes) {
    const MutexLock lock(&mutex_);
    Store* const old = store_.Load();
    std::unique_ptr<Store> fresh;
    if (bytes >= kLeastCapacity) {
      fresh = Store::Make(bytes - sizeof(FifoCache));
      if (fresh == nullptr) return Status::MemoryLimit("FIFO cache");
      if (old != nullptr) {
        old->ForEach([&](const Entry& entry) { fresh->Add({&entry, 1}); });
      }
    }
    capacity_ = bytes;
    store_.Store(fresh.release());
    gate_.WaitForReaders();
    delete old;
    return {};
  }

  // In this order, after all that came before.
  void Add(std::span<const Entry> entries) {
    const MutexLock lock(&mutex_);
    Store* const store = store_.LoadRelaxed();
    if (store != nullptr) store->Add(entries);
  }

  // The newest value of the key.
  std::optional<Value> Lookup(const Key& key) const {
    const ReaderGate::Pass pass(&gate_);
    const Store* const store = store_.Load();
    if (store == nullptr) return {};
    return store->Find(key);
  }

  size_t GetCapacity() const {
    const MutexLock lock(&mutex_);
    return capacity_;
  }
  // Counted anew, as are all below.
  size_t EntryCount() const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    return store == nullptr ? 0 : store->EntryCount();
  }
  // That there is room for; of these the oldest block goes at once.
  size_t MostEntries() const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    return store == nullptr ? 0 : store->capacity_entries();
  }
  size_t MemoryBytes() const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    return sizeof *this + (store == nullptr ? 0 : store->memory_bytes());
  }
  // Oldest first; the visitor must not call this cache.
  template <typename Visit>
  void ForEach(Visit visit) const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    if (store != nullptr) store->ForEach(visit);
  }

  // Room for two blocks, so that the newest entries stay when one is evicted.
  static constexpr size_t kLeastCapacity = 16 << 10;

 private:
  mutable Mutex mutex_;
  mutable ReaderGate gate_;
  PublishedWord<Store*> store_;
  size_t capacity_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_FIFO_FIFO_CACHE_H_

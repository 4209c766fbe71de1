// FifoCache: small values under keys in fixed memory. Evicts the oldest first.
//
//   ashlar::FifoCache<ashlar::CacheKey, uint64_t> evicted;
//   ashlar::Status status = evicted.SetCapacity(1 << 20);
//   if (!status.ok()) return status;
//   using Buffer = ashlar::ConcurrentWriteBuffer<decltype(evicted)::Entry>;
//   auto buffer =
//       Buffer::Make({}, [&](auto entries) { evicted.Add(entries); });
//   if (!buffer.ok()) return buffer.status();
//   (*buffer)->Record({key, when});                        // any thread
//   std::optional<uint64_t> found = evicted.Lookup(key);   // any thread
//
// Use it to remember what was evicted, seen or waited for recently. Feed it
// through a ConcurrentWriteBuffer (concurrent_write_buffer.h), and look keys up
// from any thread. A lookup does not find what the buffer has not handed over
// yet: call Flush from a timer, or before you look. Not a block cache: values
// are copied, are not charged, and cannot be pinned.
//
// Keys and values must be trivially copyable and default-constructible, and
// together smaller than 4 KiB. Keys need ==. Lookups return a copy of the
// value. A key that is recorded twice is stored twice: lookups find its newest
// value until that one is evicted.
//
// Memory. The capacity counts all bytes, including this object and its tables
// (but not malloc's own). All memory is allocated when the capacity is set, and
// entries come and go within it. Add and Lookup allocate nothing and cannot
// fail. Entries are packed even if an Add brings few of them, and are evicted
// in whole blocks of one page, oldest first. An entry of 24 bytes takes 32.
// With a capacity below kLeastCapacity nothing is kept. Layout and cost:
// fifo/fifo_store.h.
//
// Thread safety: any number of threads may call any function at once, except
// the destructor. Add, SetCapacity and the counts take a mutex. The sink of one
// write buffer finds it free unless the capacity is being changed or counts are
// being read. Lookups take no lock and never wait. They pass a gate
// (util/sync/reader_gate.h), because SetCapacity frees memory that they read.
// SetCapacity waits for the lookups that are inside, not for later ones, so
// lookups cannot delay it forever.
#ifndef ASHLAR_CACHE_FIFO_CACHE_H_
#define ASHLAR_CACHE_FIFO_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "ashlar/cache/fifo/fifo_store.h"
#include "ashlar/util/status.h"
#include "ashlar/util/sync/mutex.h"
#include "ashlar/util/sync/reader_gate.h"

namespace ashlar {

// The default hash of keys: 64 bits, of which the cache uses the upper ones.
// std::hash alone would not do, because it may leave them 0. There is no seed:
// somebody who can choose keys may make lookups slow.
template <typename Key>
struct FifoKeyHash {
  uint64_t operator()(const Key& key) const {
    constexpr uint64_t kOdd = 0x94d049bb133111eb;
    return internal::MultiplyFold(std::hash<Key>()(key), kOdd);
  }
};
// The hash of the block cache's keys.
template <>
struct FifoKeyHash<CacheKey> {
  uint64_t operator()(const CacheKey& key) const {
    constexpr internal::HashSeed kSeed = {0x243f6a8885a308d3,
                                          0x13198a2e03707344};
    return internal::KeyHash(key, kSeed);
  }
};

// A FIFO cache of Key to Value. `Hash`: a function object like FifoKeyHash. It
// must be pure, and may be your own.
template <typename Key, typename Value, typename Hash = FifoKeyHash<Key>>
class FifoCache {
  using Store = internal::FifoStore<Key, Value, Hash>;
  using MutexLock = internal::MutexLock;

 public:
  using Entry = internal::FifoEntry<Key, Value>;  // {key, value}

  // Makes a cache with a capacity of 0, which keeps nothing until SetCapacity.
  FifoCache() = default;
  FifoCache(const FifoCache&) = delete;
  FifoCache& operator=(const FifoCache&) = delete;
  // Requires: no thread uses the cache.
  ~FifoCache() { delete store_.Load(); }

  // Sets the capacity in bytes, with immediate effect. 0 keeps nothing. Keeps
  // the newest entries that fit. At most 2^23 blocks of 4 KiB are used.
  // Allocates the new memory before it frees the old, which is gone when this
  // returns. Returns MemoryLimit if there is no memory: the cache is then as
  // before.
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

  // Adds entries in this order, as newer than all that are there. Any number.
  void Add(std::span<const Entry> entries) {
    const MutexLock lock(&mutex_);
    Store* const store = store_.LoadRelaxed();
    if (store != nullptr) store->Add(entries);
  }

  // Returns the newest value of the key, or nullopt if there is none.
  std::optional<Value> Lookup(const Key& key) const {
    const internal::ReaderGate::Pass pass(&gate_);
    const Store* const store = store_.Load();
    if (store == nullptr) return {};
    return store->Find(key);
  }

  // Returns the capacity in bytes, as last set.
  size_t GetCapacity() const {
    const MutexLock lock(&mutex_);
    return capacity_;
  }
  // Returns the number of entries. A key that is stored twice counts twice.
  // This and the functions below compute their result at each call.
  size_t EntryCount() const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    return store == nullptr ? 0 : store->EntryCount();
  }
  // Returns how many entries there is room for. One more evicts the oldest
  // block.
  size_t MostEntries() const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    return store == nullptr ? 0 : store->capacity_entries();
  }
  // Returns the bytes that the cache takes now, at most the capacity (or the
  // size of this object, if that is more).
  size_t MemoryBytes() const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    return sizeof *this + (store == nullptr ? 0 : store->memory_bytes());
  }
  // Calls visit(entry) for every entry, oldest first, while it holds the mutex.
  // Requires: `visit` does not call this cache.
  template <typename Visit>
  void ForEach(Visit visit) const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    if (store != nullptr) store->ForEach(visit);
  }

  // The least capacity in bytes that keeps anything: room for two blocks, so
  // that the newest entries stay when one block is evicted.
  static constexpr size_t kLeastCapacity = 16 << 10;

 private:
  mutable internal::Mutex mutex_;
  mutable internal::ReaderGate gate_;
  internal::PublishedWord<Store*> store_;
  size_t capacity_ = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_FIFO_CACHE_H_

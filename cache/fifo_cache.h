// FifoCache: a memory of small entries, fed by the block, oldest out first.
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
// For what was evicted, seen or waited for lately: fed through a
// ConcurrentWriteBuffer (concurrent_write_buffer.h), looked up by any thread. A
// lookup does not see what that buffer has not handed over: Flush it, by a
// timer or before. Add and Lookup allocate nothing and cannot fail. Layout and
// cost: fifo/fifo_store.h.
//
// Keys and values are trivially copyable, default-constructible, and together
// below 4 KiB; keys have ==. Values are copied out. A key recorded twice is
// there twice; its newest value is found, until that one is evicted.
//
// The capacity counts all bytes, this object and its tables included (but not
// the allocator's own). All of it is taken when it is set, and entries come and
// go within it, so a byte count cannot drift: there is none. Entries are packed
// however few an Add brings, and whole blocks of one page are evicted. An entry
// of 24 bytes takes 32. Below kLeastCapacity nothing is kept, as with 0.
//
// Threads. Any thread may call anything. Add and SetCapacity take a mutex,
// which a write buffer's sink finds free but while the capacity changes.
// Lookups take no lock and never wait; they pass a gate, for a change of
// capacity takes memory away. It waits for those that are inside, not for those
// that come later, so lookups cannot keep it from its end.
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

// 64 bits of a key, of which the upper ones choose, so that std::hash alone
// will not do. Without a seed: who can choose keys may make lookups slow.
template <typename Key>
struct FifoKeyHash {
  uint64_t operator()(const Key& key) const {
    constexpr uint64_t kOdd = 0x94d049bb133111eb;
    return internal::MultiplyFold(std::hash<Key>()(key), kOdd);
  }
};
template <>
struct FifoKeyHash<CacheKey> {
  uint64_t operator()(const CacheKey& key) const {
    constexpr internal::HashSeed kSeed = {0x243f6a8885a308d3,
                                          0x13198a2e03707344};
    return internal::KeyHash(key, kSeed);
  }
};

// `Hash`: of one's own, a pure function object as FifoKeyHash is.
template <typename Key, typename Value, typename Hash = FifoKeyHash<Key>>
class FifoCache {
  using Store = internal::FifoStore<Key, Value, Hash>;
  using MutexLock = internal::MutexLock;

 public:
  using Entry = internal::FifoEntry<Key, Value>;  // {key, value}

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

  // In this order, after all that came before. Any number.
  void Add(std::span<const Entry> entries) {
    const MutexLock lock(&mutex_);
    Store* const store = store_.LoadRelaxed();
    if (store != nullptr) store->Add(entries);
  }

  // The newest value of the key.
  std::optional<Value> Lookup(const Key& key) const {
    const internal::ReaderGate::Pass pass(&gate_);
    const Store* const store = store_.Load();
    if (store == nullptr) return {};
    return store->Find(key);
  }

  size_t GetCapacity() const {
    const MutexLock lock(&mutex_);
    return capacity_;
  }
  // Counted anew, as are all below. Keys that are there twice count twice.
  size_t EntryCount() const {
    const MutexLock lock(&mutex_);
    const Store* const store = store_.LoadRelaxed();
    return store == nullptr ? 0 : store->EntryCount();
  }
  // That there is room for; an entry more, and the oldest block goes.
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
  mutable internal::Mutex mutex_;
  mutable internal::ReaderGate gate_;
  internal::PublishedWord<Store*> store_;
  size_t capacity_ = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_FIFO_CACHE_H_

// Cache: values of any kind under 16-byte keys, shared by any number of
// threads, within a capacity.
//
// Engines make one (cache_options.h) and hand it to every reader; who stores
// values of one type uses TypedCache (typed_cache.h) and needs no casts. All
// functions are thread-safe unless they say otherwise. Not a map: an entry that
// nobody refers to may go at any time, and a value that must not be lost has no
// place here.
//
// Keys that repeat. A key that is present keeps its value: Insert under it does
// not replace it, and the caller's handle is then a standalone one, to the
// caller's own value. To replace, Erase first. Two Inserts of one key at once
// may both succeed; lookups then find either, and Erase removes both.
#ifndef ASHLAR_CACHE_CACHE_H_
#define ASHLAR_CACHE_CACHE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "ashlar/cache/cache_entry.h"
#include "ashlar/cache/cache_key.h"
#include "ashlar/util/export.h"
#include "ashlar/util/status.h"

namespace ashlar {

// A counted reference to an entry, which keeps its value alive and where it is.
// Caches derive from it; users hold pointers and give each back by Release.
class CacheHandle {
 public:
  void* value() const { return value_; }
  const CacheItemOps* ops() const { return ops_; }
  // As it was inserted with; without the cache's own memory.
  size_t charge() const { return charge_; }

 protected:
  CacheHandle() = default;
  ~CacheHandle() = default;
  CacheHandle(const CacheHandle&) = default;
  CacheHandle& operator=(const CacheHandle&) = default;

  void* value_ = nullptr;
  const CacheItemOps* ops_ = nullptr;
  size_t charge_ = 0;
};

// What ForEachEntry shows of an entry, valid during the call.
struct CacheEntryView {
  CacheKey key;
  void* value;
  const CacheItemOps* ops;
  size_t charge;
  // Since it was inserted; whole seconds, by the cache's age_clock. The hyper
  // clock cache's go up to 194 days, and then begin at 0 again.
  uint32_t age_seconds = 0;
};

class ASHLAR_EXPORT Cache {
 public:
  // Where a key was found, for the next time: see Lookup.
  using SlotHint = uint32_t;
  static constexpr SlotHint kNoSlotHint = UINT32_MAX;

  explicit Cache(std::shared_ptr<MemoryAllocator> allocator)
      : memory_allocator_(std::move(allocator)) {}
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  // Every handle must have been released.
  virtual ~Cache() = default;

  // "HyperClockCache", "LRUCache", ...
  virtual const char* Name() const = 0;

  // Hands the value over, and a reference to it where `handle` is given. An
  // error leaves it the caller's, and *handle null: MemoryLimit, where the
  // capacity limit is strict and not enough was found that can be evicted, or
  // where there is no memory for the entry. Without a handle the value may be
  // gone at once, which is no error.
  virtual Status Insert(const CacheKey& key, void* value,
                        const CacheItemOps* ops, size_t charge,
                        CacheHandle** handle = nullptr,
                        CachePriority priority = CachePriority::kLow) = 0;

  // A handle to a value that no lookup finds, charged for as long as it is
  // held. Null, the value still the caller's, where a strict limit forbids
  // that, with `allow_uncharged` it is then made without a charge; or where
  // there is no memory for the handle.
  virtual CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                        const CacheItemOps* ops, size_t charge,
                                        bool allow_uncharged) = 0;

  // Null when the key is not there, or has too many references (see Ref).
  // `slot_hint`: kNoSlotHint, or what an earlier call left there for this key;
  // tried first where the cache has slots, and set again by a hit elsewhere.
  // Any value is right, an old one only slower.
  virtual CacheHandle* Lookup(const CacheKey& key,
                              SlotHint* slot_hint = nullptr) = 0;

  // Lookup of each key, with the waits for memory side by side. `handles` has
  // room for as many, and so have `slot_hints` or none.
  virtual void LookupBatch(std::span<const CacheKey> keys,
                           CacheHandle** handles,
                           SlotHint* slot_hints = nullptr) = 0;

  // For a key that Lookup did not find: from the second tier, where the cache
  // has one (tiered_cache.h), made by `ops->create` with this context. Null:
  // not there, or there is no such tier. May wait for it. Without `fill_cache`
  // no later Lookup finds it for that.
  virtual CacheHandle* LookupSecondary(
      const CacheKey& /*key*/, const CacheItemOps* /*ops*/,
      const void* /*create_context*/,
      CachePriority /*priority*/ = CachePriority::kLow,
      bool /*fill_cache*/ = true) {
    return nullptr;
  }
  // The same of each key whose handle is null, with the waits side by side.
  virtual void LookupSecondaryBatch(
      std::span<const CacheKey> /*keys*/, const CacheItemOps* /*ops*/,
      const void* /*create_context*/, CacheHandle** /*handles*/,
      CachePriority /*priority*/ = CachePriority::kLow,
      bool /*fill_cache*/ = true) {}

  // Begins to fetch what a Lookup with that hint will need first, for who has
  // other things to do meanwhile. Nothing but time depends on it.
  virtual void PrefetchSlot(SlotHint /*slot_hint*/) const {}

  // One reference more to what a handle already refers to. False, and no
  // reference, where there are too many to count: 2^28 (three quarters of that
  // for an entry of the hyper clock cache that many threads use).
  virtual bool Ref(CacheHandle* handle) = 0;

  // Gives a reference back; the handle is void afterwards. What is then beyond
  // the capacity goes at once, or when the next entry comes: the hyper clock
  // cache does not look at the usage here. With
  // `erase_if_last_ref` an entry that nobody else refers to goes at once. True
  // if it was ended by this call.
  virtual bool Release(CacheHandle* handle, bool erase_if_last_ref = false) = 0;

  // No lookup finds the key afterwards; the value is ended when the last
  // reference goes.
  virtual void Erase(const CacheKey& key) = 0;
  // Every entry that nobody refers to.
  virtual void EraseUnRefEntries() = 0;

  // Evicts what is too much, as far as it is not referred to.
  virtual void SetCapacity(size_t capacity) = 0;
  virtual size_t GetCapacity() const = 0;
  virtual void SetStrictCapacityLimit(bool strict_capacity_limit) = 0;
  virtual bool HasStrictCapacityLimit() const = 0;

  // Charges of all entries, standalone ones too, and by policy the cache's own
  // memory for each.
  virtual size_t GetUsage() const = 0;
  // Of these: of entries that someone refers to. Looks at every entry.
  virtual size_t GetPinnedUsage() const = 0;
  // Entries that lookups can find, or could before they were erased.
  virtual size_t GetOccupancyCount() const = 0;
  // How many there is room for in the table, and the bytes that it takes.
  virtual size_t GetTableAddressCount() const = 0;
  virtual size_t GetTableBytes() const = 0;

  // Shows every entry that is there throughout, others perhaps, none twice
  // unless it was inserted twice; nobody else has to wait for it. The callback
  // may use the cache.
  virtual void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) = 0;

  // Called with an entry that is about to be ended because there is no room for
  // it, by the thread that makes room. True: the callback has taken the value.
  // It must not use the cache. Set before other threads use the cache.
  // `was_hit`: since it came; with admission, hits that came with the load do
  // not count, and a key that came back shortly after it was evicted was hit,
  // but for those of high priority.
  using EvictionCallback = std::function<bool(
      const CacheKey& key, const CacheHandle& entry, bool was_hit)>;
  void SetEvictionCallback(EvictionCallback callback) {
    assert(!eviction_callback_);
    eviction_callback_ = std::move(callback);
  }

  // In words for the operator: what goes badly and which option would mend it.
  // Empty: nothing.
  virtual std::string ReportProblems() const = 0;

  // By role: how much, and how old. By ForEachEntry.
  CacheEntryStats CollectEntryStats();

  // The user's, or null.
  MemoryAllocator* memory_allocator() const { return memory_allocator_.get(); }

 protected:
  const EvictionCallback& eviction_callback() const {
    return eviction_callback_;
  }

 private:
  std::shared_ptr<MemoryAllocator> memory_allocator_;
  EvictionCallback eviction_callback_;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_H_

// Cache: values of any type under 16-byte keys, within a capacity.
//
// An application makes one cache (cache_options.h) and passes it to every table
// reader. To store values of one type without casts, use TypedCache
// (typed_cache.h). A cache is not a map: it may evict an entry at any time
// unless a handle refers to it. Do not keep values here that must not be lost.
//
// Thread safety: any number of threads may call any function at once, except
// the destructor and SetEvictionCallback.
//
// Keys that are already present. Insert never replaces a value: if the key is
// present, lookups still find the old value, and the caller's handle is a
// standalone one (CreateStandalone) to the new value. To replace a value, Erase
// the key first. If two threads Insert one key at the same time, both may
// succeed. Lookups then find either value, and an Erase that begins after both
// have returned removes both.
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

// One counted reference to an entry. While it is held, the entry's value stays
// alive at the same address. Users hold pointers to handles, never handles.
// Each pointer that a Cache returned must be passed to Release once, by any
// thread, even if two calls returned the same pointer. Cache implementations
// derive their entries from it.
class CacheHandle {
 public:
  // Return the value, and the operations that were passed to Insert.
  void* value() const { return value_; }
  const CacheItemOps* ops() const { return ops_; }
  // The charge that was passed to Insert, in bytes, without the cache's own
  // memory for the entry.
  size_t charge() const { return charge_; }

 protected:
  CacheHandle() = default;
  ~CacheHandle() = default;
  CacheHandle(const CacheHandle&) = default;
  CacheHandle& operator=(const CacheHandle&) = default;

  // For the derived class to set when it makes the entry.
  void* value_ = nullptr;
  const CacheItemOps* ops_ = nullptr;
  size_t charge_ = 0;
};

class ASHLAR_EXPORT Cache {
 public:
  // A note of where in the cache a key was found, to find it faster next time.
  // See Lookup.
  using SlotHint = uint32_t;
  static constexpr SlotHint kNoSlotHint = UINT32_MAX;

  // The cache shares ownership of `allocator`; null means malloc. For
  // implementations: applications call NewHyperClockCache or NewLruCache.
  explicit Cache(std::shared_ptr<MemoryAllocator> allocator)
      : memory_allocator_(std::move(allocator)) {}
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  // Requires: every handle was released, and no thread uses the cache. Destroys
  // all values, without the eviction callback.
  virtual ~Cache() = default;

  // Returns the kind of cache: "HyperClockCache", "LRUCache" and so on.
  virtual const char* Name() const = 0;

  // Stores `value` under `key` and takes ownership of it. `charge`, in bytes,
  // is what it counts against the capacity. `ops` must outlive the cache. If
  // `handle` is not null, sets *handle to a reference that the caller must
  // Release.
  //
  // Without a handle, returns OK also if there is no room or the key is
  // present: the cache then destroys the value, perhaps before this call
  // returns. With a handle, returns MemoryLimit if the capacity limit is strict
  // and too little can be evicted, or if there is no memory for the entry. Then
  // *handle is null, and the caller still owns `value`. Otherwise returns OK.
  // If the key is present, or if there is no room and the limit is not strict,
  // *handle is then a standalone one: lookups do not find this value.
  virtual Status Insert(const CacheKey& key, void* value,
                        const CacheItemOps* ops, size_t charge,
                        CacheHandle** handle = nullptr,
                        CachePriority priority = CachePriority::kLow) = 0;

  // Returns a handle to a value that no lookup finds. `key` chooses the shard
  // that is charged, and is passed to callbacks; the cache may have an entry of
  // this key. The cache owns the value, counts its charge while it is held, and
  // destroys it with the last reference. Evicts other entries to make room. If
  // a strict limit leaves no room, returns null, or with `allow_uncharged` a
  // handle whose value does not count. Returns null if there is no memory for
  // the handle. If it returns null, the caller still owns `value`.
  virtual CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                        const CacheItemOps* ops, size_t charge,
                                        bool allow_uncharged) = 0;

  // Returns a handle that the caller must Release. Returns null if the key is
  // not present or has too many references (see Ref).
  //
  // `slot_hint` may be null. Otherwise set *slot_hint to kNoSlotHint before the
  // first lookup of a key, and pass back later what that lookup left there. A
  // cache with slots looks there first, and a hit elsewhere updates the hint.
  // Any value gives the right result: an outdated hint costs time only.
  virtual CacheHandle* Lookup(const CacheKey& key,
                              SlotHint* slot_hint = nullptr) = 0;

  // Sets handles[i] to what Lookup(keys[i]) would return, for every key.
  // Faster than single lookups, because the processor fetches all entries from
  // memory at the same time. Requires: `handles` has room for keys.size()
  // pointers, and `slot_hints` is null or has keys.size() hints.
  virtual void LookupBatch(std::span<const CacheKey> keys,
                           CacheHandle** handles,
                           SlotHint* slot_hints = nullptr) = 0;

  // Looks in the second tier, if this cache has one (tiered_cache.h), for a key
  // that Lookup did not find. Makes the value with `ops->create`, which gets
  // `create_context`. May wait for the tier. If `fill_cache` is false, the
  // value is not put back into the first tier. Returns null if the key is not
  // there, if the value could not be made, or if there is no second tier.
  virtual CacheHandle* LookupSecondary(
      const CacheKey& /*key*/, const CacheItemOps* /*ops*/,
      const void* /*create_context*/,
      CachePriority /*priority*/ = CachePriority::kLow,
      bool /*fill_cache*/ = true) {
    return nullptr;
  }
  // Does the same for each key whose handles[i] is null, and leaves handles[i]
  // null where it finds nothing. The waits for the tier overlap.
  virtual void LookupSecondaryBatch(
      std::span<const CacheKey> /*keys*/, const CacheItemOps* /*ops*/,
      const void* /*create_context*/, CacheHandle** /*handles*/,
      CachePriority /*priority*/ = CachePriority::kLow,
      bool /*fill_cache*/ = true) {}

  // Starts to fetch the memory that a Lookup with this hint will read first, so
  // that the caller can do other work meanwhile. Affects nothing but time.
  virtual void PrefetchSlot(SlotHint /*slot_hint*/) const {}

  // Adds one reference to the entry of `handle`, which then needs one more
  // Release. Returns false, and adds none, if the entry already has too many:
  // 2^28, or for an entry of the hyper clock cache that many threads use, a
  // number from three quarters to seven quarters of that.
  virtual bool Ref(CacheHandle* handle) = 0;

  // Gives one reference back. The caller must not use the handle again for this
  // reference. With `erase_if_last_ref`, also erases the entry if nobody else
  // refers to it. Returns true if this call destroyed the value. If usage
  // exceeds the capacity, the LRU cache evicts entries at once, but the hyper
  // clock cache waits for the next insert.
  virtual bool Release(CacheHandle* handle, bool erase_if_last_ref = false) = 0;

  // Returns the key that was passed with the value of `handle`.
  virtual CacheKey KeyOf(const CacheHandle& handle) const = 0;

  // Removes the key: later lookups do not find it. What another thread inserts
  // under this key meanwhile may stay, or go while Erase still runs, even if a
  // lookup has found it. The value is destroyed with its last reference. Does
  // nothing if the key is not present.
  virtual void Erase(const CacheKey& key) = 0;
  // Removes every entry that no handle refers to.
  virtual void EraseUnRefEntries() = 0;

  // Sets the capacity in bytes. If usage exceeds it, evicts entries that no
  // handle refers to before it returns.
  virtual void SetCapacity(size_t capacity) = 0;
  virtual size_t GetCapacity() const = 0;
  // Sets whether Insert with a handle fails rather than exceed the capacity.
  virtual void SetStrictCapacityLimit(bool strict_capacity_limit) = 0;
  virtual bool HasStrictCapacityLimit() const = 0;

  // Returns the sum of the charges of all entries in bytes, including
  // standalone ones and, by CacheMetadataChargePolicy, the cache's own memory
  // for each.
  virtual size_t GetUsage() const = 0;
  // Returns the part of GetUsage that handles refer to, in bytes. May look at
  // every entry.
  virtual size_t GetPinnedUsage() const = 0;
  // Returns the number of entries that lookups can find, plus those that were
  // erased but are still referred to. Standalone entries do not count.
  virtual size_t GetOccupancyCount() const = 0;
  // These return the number of entries that the table now has slots for (LRU
  // cache: its number of buckets), and the bytes that the table takes.
  virtual size_t GetTableAddressCount() const = 0;
  virtual size_t GetTableBytes() const = 0;

  // Calls `callback` for every entry that lookups can find during the whole
  // call, and perhaps for others that come or go meanwhile. Shows no entry
  // twice (but a key twice, if it was inserted twice). Each entry stays alive
  // until its callback returns. No lock is held meanwhile, so the callback may
  // use the cache. May throw std::bad_alloc.
  virtual void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) = 0;

  // Calls `callback` for the entry of this key, as ForEachEntry does, and
  // returns true; or returns false if the key is not present. Does not count as
  // a use: the entry is evicted when it would have been without this call. The
  // default looks the key up, which counts as a use, and knows no
  // CacheEntryView::stay.
  virtual bool VisitEntry(
      const CacheKey& key,
      const std::function<void(const CacheEntryView&)>& callback);

  // Called before an entry is destroyed because there is no room for it, by the
  // thread that makes room. Not called for entries that are erased. Return
  // false to let the cache destroy the value. Return true to take ownership of
  // it: then pass it to entry.ops()->destroy, with the allocator of the cache,
  // when you are done. `entry` is valid during the call only. Must not throw,
  // and must not use the cache.
  //
  // `was_hit`: a lookup has found the entry since it was inserted. With
  // admission (HyperClockCacheOptions), hits shortly after the insertion
  // do not count, and a key that came back shortly after its eviction counts as
  // hit, unless its priority is high.
  using EvictionCallback = std::function<bool(
      const CacheKey& key, const CacheHandle& entry, bool was_hit)>;
  // Requires: no callback is set, and no other thread uses the cache yet.
  void SetEvictionCallback(EvictionCallback callback) {
    assert(!eviction_callback_);
    eviction_callback_ = std::move(callback);
  }

  // Returns text for the operator: what goes wrong, and which option would fix
  // it. Empty if nothing is wrong.
  virtual std::string ReportProblems() const = 0;

  // Returns counts, bytes and ages by role. Calls ForEachEntry.
  CacheEntryStats CollectEntryStats();

  // Returns the allocator of the options, or null. Lives as long as the cache.
  MemoryAllocator* memory_allocator() const { return memory_allocator_.get(); }

 protected:
  // Returns the callback of the options. Empty: none.
  const EvictionCallback& eviction_callback() const {
    return eviction_callback_;
  }

 private:
  std::shared_ptr<MemoryAllocator> memory_allocator_;
  EvictionCallback eviction_callback_;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_H_

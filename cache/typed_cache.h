// TypedCache<T>: a Cache that stores values of one type, without casts and
// without deleters.
//
//   ashlar::TypedCache<Block> blocks(cache);
//   auto block = blocks.Lookup(key);
//   if (!block) block = blocks.InsertAndHold(key, ReadBlock());
//   if (!block) return ashlar::Status::MemoryLimit("no memory for a handle");
//   block->Search();  // alive as long as the handle
//
// For applications that keep their own objects in a cache. Values must come
// from `new`. To take memory from the cache's allocator, use Cache with
// CacheItemOps of your own instead.
//
// Charge. A value is charged what T::ApproximateMemoryUsage() returns, if T has
// `size_t ApproximateMemoryUsage() const`, and sizeof(T) otherwise. Statistics
// call it again later, from any thread.
//
// Second tier. If T has the three functions below, its values go to a second
// tier behind the cache (tiered_cache.h) and come back from it. They mean what
// CacheItemOps says of saved_size, save_to and create.
//
//   struct Block {
//     size_t SavedSize() const;
//     void SaveTo(char* out) const;
//     static ashlar::Status Create(const ashlar::Slice& saved,
//                                  const void* context,
//                                  ashlar::MemoryAllocator* allocator,
//                                  std::unique_ptr<Block>* block);
//   };
//
// A TypedCache is a cheap front of a shared cache. Have one for each type, and
// use different keys for different types. If a key has a value of another type
// or role, lookups do not find it.
//
// Thread safety: as Cache. One thread at a time may use a handle, but any
// number of threads may use the value that it refers to.
#ifndef ASHLAR_CACHE_TYPED_CACHE_H_
#define ASHLAR_CACHE_TYPED_CACHE_H_

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/typed_handle.h"

namespace ashlar {

template <typename T, CacheEntryRole kRole = CacheEntryRole::kMisc>
class TypedCache {
 public:
  // A reference to a value, which it keeps alive.
  using Handle = TypedHandle<T>;

  // Shares ownership of `cache`. Requires: it is not null.
  explicit TypedCache(std::shared_ptr<Cache> cache)
      : cache_(std::move(cache)) {}

  // Returns a handle to the value; empty if the key is not present.
  // `slot_hint`: see Cache::Lookup.
  Handle Lookup(const CacheKey& key, Cache::SlotHint* slot_hint = nullptr) {
    return Adopt(cache_->Lookup(key, slot_hint));
  }

  // Sets handles[i] to what Lookup(keys[i]) would return, for every key.
  // Faster than single lookups, because the processor fetches all entries from
  // memory at the same time. Requires: `handles` has room for keys.size()
  // handles, and `slot_hints` is null or has keys.size() hints.
  void LookupBatch(std::span<const CacheKey> keys, Handle* handles,
                   Cache::SlotHint* slot_hints = nullptr);

  // Looks in the second tier for a key that Lookup did not find: see
  // Cache::LookupSecondary. Returns an empty handle if it finds nothing, or if
  // T cannot be saved.
  Handle LookupSecondary(const CacheKey& key, const void* create_context,
                         CachePriority priority = CachePriority::kLow,
                         bool fill_cache = true) {
    if constexpr (!kSaves) return {};
    return {cache_.get(), cache_->LookupSecondary(key, &kOps, create_context,
                                                  priority, fill_cache)};
  }

  // Does the same for each key whose handles[i] is empty, and leaves the others
  // as they are. Requires: keys.size() is at most 32.
  void LookupSecondaryBatch(std::span<const CacheKey> keys, Handle* handles,
                            const void* create_context,
                            CachePriority priority = CachePriority::kLow,
                            bool fill_cache = true);

  // Stores `value` and returns a handle to it. If the key is already present,
  // or the cache has no room, the handle is still to this value, but no lookup
  // finds it. Returns an empty handle, and destroys the value, only if there is
  // no memory for the handle itself. Requires: `value` is not null.
  //
  // Sets *found_room, if given, to false if Cache::Insert failed: a strict
  // capacity limit left no room, or there was no memory.
  Handle InsertAndHold(const CacheKey& key, std::unique_ptr<T> value,
                       CachePriority priority = CachePriority::kLow,
                       bool* found_room = nullptr);

  // Stores `value`. Without `handle`, the cache may destroy it at once, and the
  // call returns OK. With `handle`, sets *handle to the value, as InsertAndHold
  // does; or returns MemoryLimit if a strict capacity limit leaves no room or
  // there is no memory. Then *handle is empty and the value is destroyed.
  // Requires: `value` is not null.
  Status Insert(const CacheKey& key, std::unique_ptr<T> value,
                Handle* handle = nullptr,
                CachePriority priority = CachePriority::kLow);

  // Removes the key: see Cache::Erase.
  void Erase(const CacheKey& key) { cache_->Erase(key); }

  // Returns the cache that it is a front of.
  const std::shared_ptr<Cache>& cache() const { return cache_; }
  // Returns the operations of its entries (CacheHandle::ops).
  static const CacheItemOps* ops() { return &kOps; }

  // Returns what a value is charged, in bytes.
  static size_t ChargeOf(const T& value) {
    if constexpr (requires { value.ApproximateMemoryUsage(); }) {
      return value.ApproximateMemoryUsage();
    } else {
      return sizeof(T);
    }
  }

 private:
  static void Destroy(void* value, MemoryAllocator* /*allocator*/) {
    delete static_cast<T*>(value);
  }
  static size_t Size(const void* value) {
    return ChargeOf(*static_cast<const T*>(value));
  }
  static constexpr bool kSaves =
      requires(const T& value, char* out) { value.SaveTo(out); };
  static size_t SavedSize(const void* value) {
    return static_cast<const T*>(value)->SavedSize();
  }
  static void SaveTo(const void* value, char* out) {
    static_cast<const T*>(value)->SaveTo(out);
  }
  static Status Create(const Slice& saved, const void* context,
                       MemoryAllocator* allocator, void** value,
                       size_t* charge);
  static constexpr CacheItemOps MakeOps() {
    CacheItemOps ops = {kRole, Destroy, Size};
    if constexpr (kSaves) {
      ops.saved_size = SavedSize;
      ops.save_to = SaveTo;
      ops.create = Create;
    }
    return ops;
  }
  static constexpr CacheItemOps kOps = MakeOps();

  Handle Adopt(CacheHandle* handle) {
    if (handle != nullptr && handle->ops() != &kOps) {
      cache_->Release(handle);
      return {};
    }
    return {cache_.get(), handle};
  }

  std::shared_ptr<Cache> cache_;
};

template <typename T, CacheEntryRole kRole>
void TypedCache<T, kRole>::LookupBatch(std::span<const CacheKey> keys,
                                       Handle* handles,
                                       Cache::SlotHint* slot_hints) {
  std::array<CacheHandle*, 32> found;
  while (!keys.empty()) {
    const size_t n = std::min(keys.size(), found.size());
    cache_->LookupBatch(keys.first(n), found.data(), slot_hints);
    for (size_t i = 0; i < n; ++i) handles[i] = Adopt(found[i]);
    keys = keys.subspan(n);
    handles += n;
    if (slot_hints != nullptr) slot_hints += n;
  }
}

template <typename T, CacheEntryRole kRole>
void TypedCache<T, kRole>::LookupSecondaryBatch(std::span<const CacheKey> keys,
                                                Handle* handles,
                                                const void* create_context,
                                                CachePriority priority,
                                                bool fill_cache) {
  if constexpr (kSaves) {
    std::array<CacheKey, 32> missing;
    std::array<size_t, 32> at;
    std::array<CacheHandle*, 32> found{};
    assert(keys.size() <= missing.size());
    size_t n = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (handles[i]) continue;
      missing[n] = keys[i];
      at[n++] = i;
    }
    cache_->LookupSecondaryBatch(std::span(missing).first(n), &kOps,
                                 create_context, found.data(), priority,
                                 fill_cache);
    for (size_t i = 0; i < n; ++i) handles[at[i]] = {cache_.get(), found[i]};
  }
}

template <typename T, CacheEntryRole kRole>
Status TypedCache<T, kRole>::Create(const Slice& saved, const void* context,
                                    MemoryAllocator* allocator, void** value,
                                    size_t* charge) {
  std::unique_ptr<T> made;
  Status status = T::Create(saved, context, allocator, &made);
  if (!status.ok() || made == nullptr) return status;
  *charge = ChargeOf(*made);
  *value = made.release();
  return status;
}

template <typename T, CacheEntryRole kRole>
TypedHandle<T> TypedCache<T, kRole>::InsertAndHold(const CacheKey& key,
                                                   std::unique_ptr<T> value,
                                                   CachePriority priority,
                                                   bool* found_room) {
  assert(value != nullptr);
  const size_t charge = ChargeOf(*value);
  CacheHandle* handle = nullptr;
  const bool inserted =
      cache_->Insert(key, value.get(), &kOps, charge, &handle, priority).ok();
  if (found_room != nullptr) *found_room = inserted;
  if (!inserted) {
    handle = cache_->CreateStandalone(key, value.get(), &kOps, charge,
                                      /*allow_uncharged=*/true);
  }
  // The cache owns the value now.
  if (handle != nullptr) static_cast<void>(value.release());
  return {cache_.get(), handle};
}

template <typename T, CacheEntryRole kRole>
Status TypedCache<T, kRole>::Insert(const CacheKey& key,
                                    std::unique_ptr<T> value, Handle* handle,
                                    CachePriority priority) {
  assert(value != nullptr);
  CacheHandle* inserted = nullptr;
  Status status =
      cache_->Insert(key, value.get(), &kOps, ChargeOf(*value),
                     handle != nullptr ? &inserted : nullptr, priority);
  if (status.ok()) static_cast<void>(value.release());
  if (handle != nullptr) *handle = {cache_.get(), inserted};
  return status;
}

}  // namespace ashlar

#endif  // ASHLAR_CACHE_TYPED_CACHE_H_

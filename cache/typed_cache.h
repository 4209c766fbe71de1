// TypedCache<T>: a Cache as the keeper of values of one type, without casts and
// without deleters.
//
//   ashlar::TypedCache<Block> blocks(cache);
//   auto block = blocks.Lookup(key);
//   if (!block) block = blocks.InsertAndHold(key, ReadBlock());
//   if (!block) return ashlar::Status::MemoryLimit("no memory for a handle");
//   block->Search();  // alive as long as the handle
//
// A value is charged what `size_t T::ApproximateMemoryUsage() const` says, if T
// has that, else sizeof(T); statistics ask it again, from any thread. It comes
// from `new`: who takes memory from the cache's allocator uses Cache with
// operations of his own.
//
// Values go to a second tier behind the cache (tiered_cache.h), and come back,
// if T has
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
// which mean what CacheItemOps says of them.
//
// A TypedCache is a cheap front of a shared cache: have one for each type, with
// keys of their own. A key that has a value of another type is not found. As
// thread-safe as the cache; a handle belongs to one thread at a time, what it
// refers to to all.
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
  using Handle = TypedHandle<T>;

  explicit TypedCache(std::shared_ptr<Cache> cache)
      : cache_(std::move(cache)) {}

  // Empty when the key is not there.
  Handle Lookup(const CacheKey& key, Cache::SlotHint* slot_hint = nullptr) {
    return Adopt(cache_->Lookup(key, slot_hint));
  }

  // Each of them, as Cache::LookupBatch; handles has room for as many.
  void LookupBatch(std::span<const CacheKey> keys, Handle* handles,
                   Cache::SlotHint* slot_hints = nullptr);

  // What a second tier has of a key that Lookup did not find; empty if T cannot
  // be saved.
  Handle LookupSecondary(const CacheKey& key, const void* create_context,
                         CachePriority priority = CachePriority::kLow,
                         bool fill_cache = true) {
    if constexpr (!kSaves) return {};
    return {cache_.get(), cache_->LookupSecondary(key, &kOps, create_context,
                                                  priority, fill_cache)};
  }

  // The same of each key whose handle is empty. At most 32.
  void LookupSecondaryBatch(std::span<const CacheKey> keys, Handle* handles,
                            const void* create_context,
                            CachePriority priority = CachePriority::kLow,
                            bool fill_cache = true);

  // A handle in any case: where the key is there already, or the cache has no
  // room, nobody else finds this value. Empty, and the value gone, only where
  // there is no memory for the handle itself. *found_room: whether the cache
  // has taken it in, or had the key.
  Handle InsertAndHold(const CacheKey& key, std::unique_ptr<T> value,
                       CachePriority priority = CachePriority::kLow,
                       bool* found_room = nullptr);

  // For others, or later: the value may be gone at once. An error (MemoryLimit)
  // only where a handle is asked for; it is then empty, and the value gone.
  Status Insert(const CacheKey& key, std::unique_ptr<T> value,
                Handle* handle = nullptr,
                CachePriority priority = CachePriority::kLow);

  void Erase(const CacheKey& key) { cache_->Erase(key); }

  const std::shared_ptr<Cache>& cache() const { return cache_; }

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
  // The cache's now.
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

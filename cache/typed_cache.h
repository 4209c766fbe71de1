// TypedCache<T>: a Cache as the keeper of values of one type, without casts and
// without deleters.
//
//   ashlar::TypedCache<Block, ashlar::CacheEntryRole::kDataBlock>
//   blocks(cache); auto block = blocks.Lookup(key); if (!block) block =
//   blocks.InsertAndHold(key, ReadBlock(...)); block->Search(...); // alive as
//   long as the handle
//
// A value is charged what `size_t T::ApproximateMemoryUsage() const` says, if T
// has that, else sizeof(T); statistics ask it again, from any thread. It comes
// from `new`: who takes memory from the cache's allocator uses Cache with
// operations of his own.
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

#include "cache/cache.h"
#include "util/cleanable.h"

namespace ashlar {

// One reference to a value, given back when it goes. Move-only; empty by
// default. The cache outlives it.
template <typename T>
class TypedHandle {
 public:
  TypedHandle() = default;
  // Takes over the reference. For those who use Cache itself as well.
  TypedHandle(Cache* cache, CacheHandle* handle)
      : cache_(cache), handle_(handle) {}
  TypedHandle(TypedHandle&& other) noexcept
      : cache_(other.cache_), handle_(std::exchange(other.handle_, nullptr)) {}
  TypedHandle& operator=(TypedHandle&& other) noexcept {
    if (this == &other) return *this;
    Reset();
    cache_ = other.cache_;
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }
  ~TypedHandle() { Reset(); }

  explicit operator bool() const { return handle_ != nullptr; }
  // Null when empty.
  T* get() const {
    return handle_ == nullptr ? nullptr : static_cast<T*>(handle_->value());
  }
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }

  // Another reference to the same; empty if this is, or where there are too
  // many to count.
  TypedHandle Share() const {
    if (handle_ == nullptr || !cache_->Ref(handle_)) return {};
    return {cache_, handle_};
  }
  void Reset() {
    if (handle_ != nullptr) cache_->Release(std::exchange(handle_, nullptr));
  }
  // Leaves the reference to `keeper`, which gives it back when it is cleaned
  // up.
  void MoveTo(Cleanable* keeper) {
    if (handle_ == nullptr) return;
    keeper->RegisterCleanup(
        [](void* cache, void* handle) {
          static_cast<Cache*>(cache)->Release(
              static_cast<CacheHandle*>(handle));
        },
        cache_, std::exchange(handle_, nullptr));
  }
  // Where the value will hardly be asked for again. True: it was ended.
  bool ResetAndEraseIfLast() {
    return handle_ != nullptr &&
           cache_->Release(std::exchange(handle_, nullptr),
                           /*erase_if_last_ref=*/true);
  }

 private:
  Cache* cache_ = nullptr;
  CacheHandle* handle_ = nullptr;
};

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

  // A handle in any case: where the key is there already, or the cache has no
  // room, nobody else finds this value. Empty, and the value gone, only where
  // there is no memory for the handle itself.
  Handle InsertAndHold(const CacheKey& key, std::unique_ptr<T> value,
                       CachePriority priority = CachePriority::kLow);

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
  static constexpr CacheItemOps kOps = {kRole, Destroy, Size};

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
TypedHandle<T> TypedCache<T, kRole>::InsertAndHold(const CacheKey& key,
                                                   std::unique_ptr<T> value,
                                                   CachePriority priority) {
  assert(value != nullptr);
  const size_t charge = ChargeOf(*value);
  CacheHandle* handle = nullptr;
  if (!cache_->Insert(key, value.get(), &kOps, charge, &handle, priority)
           .ok()) {
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

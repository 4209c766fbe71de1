// TypedHandle<T>: a reference to a cache entry whose type is known.
//
// TypedCache (typed_cache.h) returns these. One thread at a time may use a
// handle, but any number of threads may use the value that it refers to. Not a
// shared_ptr: the value belongs to the cache.
#ifndef ASHLAR_CACHE_TYPED_HANDLE_H_
#define ASHLAR_CACHE_TYPED_HANDLE_H_

#include <utility>

#include "ashlar/cache/cache.h"
#include "ashlar/util/cleanable.h"

namespace ashlar {

// Owns one reference to an entry, and releases it when it is destroyed.
// Move-only. Empty by default. Requires: the cache outlives it.
template <typename T>
class TypedHandle {
 public:
  TypedHandle() = default;
  // Takes over the reference `handle`, which may be null. For code that also
  // uses Cache itself.
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

  // Returns whether the handle refers to an entry.
  explicit operator bool() const { return handle_ != nullptr; }
  // Returns the value, or null if the handle is empty.
  T* get() const {
    return handle_ == nullptr ? nullptr : static_cast<T*>(handle_->value());
  }
  // Requires: the handle is not empty.
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }

  // Returns another handle to the same entry. It is empty if this one is, or if
  // the entry has too many references (see Cache::Ref).
  TypedHandle Share() const {
    if (handle_ == nullptr || !cache_->Ref(handle_)) return {};
    return {cache_, handle_};
  }
  // Releases the reference. The handle is then empty.
  void Reset() {
    if (handle_ != nullptr) cache_->Release(std::exchange(handle_, nullptr));
  }
  // Passes the reference to `keeper`, which releases it when it is cleaned up.
  // The handle is then empty. May throw std::bad_alloc if `keeper` already has
  // a cleanup, and changes nothing then.
  void MoveTo(Cleanable* keeper) {
    if (handle_ == nullptr) return;
    keeper->RegisterCleanup(
        [](void* cache, void* handle) {
          static_cast<Cache*>(cache)->Release(
              static_cast<CacheHandle*>(handle));
        },
        cache_, handle_);
    handle_ = nullptr;
  }
  // Releases the reference, and erases the entry if nobody else refers to it:
  // for a value that will hardly be needed again. Returns true if this
  // destroyed the value.
  bool ResetAndEraseIfLast() {
    return handle_ != nullptr &&
           cache_->Release(std::exchange(handle_, nullptr),
                           /*erase_if_last_ref=*/true);
  }

 private:
  Cache* cache_ = nullptr;
  CacheHandle* handle_ = nullptr;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_TYPED_HANDLE_H_

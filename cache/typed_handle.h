// TypedHandle<T>: a reference to an entry of a cache whose type is known.
//
// What TypedCache (typed_cache.h) gives out. A handle belongs to one thread at
// a time, what it refers to to all.
#ifndef ASHLAR_CACHE_TYPED_HANDLE_H_
#define ASHLAR_CACHE_TYPED_HANDLE_H_

#include <utility>

#include "ashlar/cache/cache.h"
#include "ashlar/util/cleanable.h"

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

}  // namespace ashlar

#endif  // ASHLAR_CACHE_TYPED_HANDLE_H_

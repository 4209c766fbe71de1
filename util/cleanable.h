// Cleanable: a list of things to do when something is let go.
//
// Whoever hands out a pointer into memory it keeps alive (a cached block, a
// buffer) registers how to release it. Move-only; not thread-safe, but may be
// handed from thread to thread.
//
// SharedCleanable: the same list, kept by many at once and run when the last of
// them goes: the values of one batch that lie in one block share its pin so.
#ifndef ASHLAR_UTIL_CLEANABLE_H_
#define ASHLAR_UTIL_CLEANABLE_H_

#include <cassert>
#include <memory>
#include <utility>
#include <vector>

#include "ashlar/util/export.h"

namespace ashlar {

class ASHLAR_EXPORT Cleanable {
 public:
  using CleanupFunction = void (*)(void* arg1, void* arg2);

  Cleanable() = default;
  Cleanable(Cleanable&& other) noexcept
      : first_(std::exchange(other.first_, {})),
        rest_(std::move(other.rest_)) {}
  Cleanable& operator=(Cleanable&& other) noexcept {
    if (this != &other) {
      Reset();
      first_ = std::exchange(other.first_, {});
      rest_ = std::move(other.rest_);
    }
    return *this;
  }
  ~Cleanable() { Reset(); }

  // Runs function(arg1, arg2) once, on Reset or destruction. In order of
  // registration. The first one needs no memory.
  void RegisterCleanup(CleanupFunction function, void* arg1, void* arg2) {
    if (HasCleanups()) {
      RegisterMore({function, arg1, arg2});
    } else {
      first_ = {function, arg1, arg2};
    }
  }

  // Moves all cleanups behind those of `other`; this one is then empty.
  void DelegateCleanupsTo(Cleanable* other);

  bool HasCleanups() const { return first_.function != nullptr; }

  // Runs the cleanups now.
  void Reset() {
    if (!HasCleanups()) return;
    // A cleanup may use this object again: take the list away first.
    const Cleanup first = std::exchange(first_, {});
    const Rest rest = std::move(rest_);
    first.function(first.arg1, first.arg2);
    if (rest != nullptr) [[unlikely]]
      RunAll(*rest);
  }

 private:
  struct Cleanup {
    CleanupFunction function = nullptr;
    void* arg1 = nullptr;
    void* arg2 = nullptr;
  };
  using Rest = std::unique_ptr<std::vector<Cleanup>>;

  void RegisterMore(const Cleanup& cleanup);
  static void RunAll(const std::vector<Cleanup>& cleanups);

  // Nearly always there is just one: it needs no allocation.
  Cleanup first_;
  Rest rest_;
};

// A counted reference to cleanups. One object belongs to one thread at a time;
// references to the same cleanups may lie with any threads. Empty by default.
class ASHLAR_EXPORT SharedCleanable {
 public:
  SharedCleanable() = default;
  // Takes over the cleanups; this is then the only reference to them. One
  // allocation, and none for further references.
  explicit SharedCleanable(Cleanable cleanups);
  // Takes over the cleanups, after those that it has run. Requires that this is
  // the only reference. Needs no memory, so that a caller can take the memory
  // first and then give up what the cleanups keep.
  void Adopt(Cleanable cleanups) noexcept;
  SharedCleanable(const SharedCleanable& other) noexcept
      : shared_(other.shared_) {
    if (shared_ != nullptr) AddReference();
  }
  SharedCleanable(SharedCleanable&& other) noexcept
      : shared_(std::exchange(other.shared_, nullptr)) {}
  SharedCleanable& operator=(SharedCleanable other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~SharedCleanable() { Reset(); }

  explicit operator bool() const { return shared_ != nullptr; }

  // Gives this reference back.
  void Reset() {
    if (shared_ != nullptr) DropReference(std::exchange(shared_, nullptr));
  }
  // Registers a reference of its own with `keeper`: given back when that is
  // cleaned up. Not when empty.
  void ShareWith(Cleanable* keeper) const {
    assert(shared_ != nullptr);
    AddReference();
    keeper->RegisterCleanup(DropOne, shared_, nullptr);
  }
  // The same with this reference, which is then empty.
  void MoveTo(Cleanable* keeper) {
    assert(shared_ != nullptr);
    keeper->RegisterCleanup(DropOne, std::exchange(shared_, nullptr), nullptr);
  }

 private:
  struct Shared;
  static void DropOne(void* shared, void* /*unused*/) {
    DropReference(static_cast<Shared*>(shared));
  }
  void AddReference() const;
  static void DropReference(Shared* shared);

  Shared* shared_ = nullptr;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_CLEANABLE_H_

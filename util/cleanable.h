// Cleanable: a list of functions to call when something is no longer needed.
//
// An object that returns a pointer into memory that it keeps alive (a cached
// block, a buffer) registers here how to release that memory. Move-only. Thread
// safety: one thread at a time may use it, and it may be passed from thread to
// thread.
//
// SharedCleanable: such a list with counted references. The list runs when the
// last reference is given back. The values of one batch that are in the same
// block share its pin in this way. Not a general smart pointer: it runs
// functions, and owns no object.
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
  // What is called with the two arguments that were registered with it.
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

  // Registers function(arg1, arg2), which runs once, on Reset or destruction.
  // Functions run in the order of registration. They must not throw. The first
  // one needs no memory. For any further one this may throw std::bad_alloc, and
  // nothing is registered then.
  void RegisterCleanup(CleanupFunction function, void* arg1, void* arg2) {
    if (HasCleanups()) {
      RegisterMore({function, arg1, arg2});
    } else {
      first_ = {function, arg1, arg2};
    }
  }

  // Moves all cleanups to `other`, after those that it has. This one is then
  // empty. May throw std::bad_alloc, unless `other` is empty and this one has
  // at most one cleanup. If it throws, nothing has moved.
  void DelegateCleanupsTo(Cleanable* other);

  // Moves all cleanups to a keeper of another library: it has a
  // RegisterCleanup(function, arg1, arg2) of its own. If that throws, what has
  // not moved is still here. They then run in an order of the keeper's.
  template <class Keeper>
  void HandCleanupsTo(Keeper* keeper) {
    while (rest_ != nullptr && !rest_->empty()) [[unlikely]] {
      const Cleanup& last = rest_->back();
      keeper->RegisterCleanup(last.function, last.arg1, last.arg2);
      rest_->pop_back();
    }
    rest_.reset();
    if (!HasCleanups()) return;
    keeper->RegisterCleanup(first_.function, first_.arg1, first_.arg2);
    first_ = {};
  }

  // Returns whether any function is registered.
  bool HasCleanups() const { return first_.function != nullptr; }

  // Runs all cleanups now. The list is then empty.
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
  // Makes room for `count` calls of RegisterMore that cannot fail.
  void ReserveMore(size_t count);
  static void RunAll(const std::vector<Cleanup>& cleanups);

  // There is nearly always just one cleanup, which needs no allocation.
  Cleanup first_;
  Rest rest_;
};

// One counted reference to a list of cleanups. Empty by default. One thread at
// a time may use an object. References to the same list may belong to different
// threads.
class ASHLAR_EXPORT SharedCleanable {
 public:
  SharedCleanable() = default;
  // Takes over the cleanups. This object is then the only reference to them.
  // Allocates once, and may throw std::bad_alloc. Further references allocate
  // nothing.
  explicit SharedCleanable(Cleanable cleanups);
  // Runs the cleanups that it has, and then takes over the new ones. Requires:
  // this is the only reference, and it is not empty. Needs no memory: so a
  // caller can allocate first, and only then give up what the cleanups keep.
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

  // Returns whether it refers to a list.
  explicit operator bool() const { return shared_ != nullptr; }

  // Gives this reference back. The last one runs the cleanups.
  void Reset() {
    if (shared_ != nullptr) DropReference(std::exchange(shared_, nullptr));
  }
  // Registers another reference with `keeper`, which gives it back when it is
  // cleaned up. Requires: this is not empty. May throw std::bad_alloc if
  // `keeper` already has a cleanup, and changes nothing then.
  void ShareWith(Cleanable* keeper) const {
    assert(shared_ != nullptr);
    keeper->RegisterCleanup(DropOne, shared_, nullptr);
    AddReference();
  }
  // Passes this reference to `keeper`, and is then empty. Otherwise as
  // ShareWith.
  void MoveTo(Cleanable* keeper) {
    assert(shared_ != nullptr);
    keeper->RegisterCleanup(DropOne, shared_, nullptr);
    shared_ = nullptr;
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

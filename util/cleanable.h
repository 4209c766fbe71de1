// Cleanable: a list of things to do when something is let go.
//
// Whoever hands out a pointer into memory it keeps alive (a cached block, a
// buffer) registers how to release it. Move-only; not thread-safe, but may be
// handed from thread to thread.
#ifndef ASHLAR_UTIL_CLEANABLE_H_
#define ASHLAR_UTIL_CLEANABLE_H_

#include <utility>
#include <vector>

#include "util/export.h"

namespace ashlar {

class ASHLAR_EXPORT Cleanable {
 public:
  using CleanupFunction = void (*)(void* arg1, void* arg2);

  Cleanable() = default;
  Cleanable(Cleanable&& other) noexcept
      : first_(std::exchange(other.first_, {})),
        rest_(std::exchange(other.rest_, {})) {}
  Cleanable& operator=(Cleanable&& other) noexcept;
  ~Cleanable() { Reset(); }

  // Runs function(arg1, arg2) once, on Reset or destruction. In order of
  // registration.
  void RegisterCleanup(CleanupFunction function, void* arg1, void* arg2);

  // Moves all cleanups behind those of `other`; this one is then empty.
  void DelegateCleanupsTo(Cleanable* other);

  bool HasCleanups() const { return first_.function != nullptr; }

  // Runs the cleanups now.
  void Reset() {
    if (HasCleanups()) RunCleanups();
  }

 private:
  struct Cleanup {
    CleanupFunction function = nullptr;
    void* arg1 = nullptr;
    void* arg2 = nullptr;
  };
  void RunCleanups();

  // Nearly always there is just one: it needs no allocation.
  Cleanup first_;
  std::vector<Cleanup> rest_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_CLEANABLE_H_

// ThreadSpare: memory that a thread keeps from one use of it to the next.
//
//   ThreadSpare<Buffer, class Saving> buffer;
//   if (!buffer->TryReserve(n)) ...
//
// Each object of this type has a T of its own, whatever is called meanwhile:
// what the thread kept, if that is there, else a new one. Its contents are
// those of the last use. Once the thread's own objects are destroyed, which
// static objects and those that the thread made before outlive, every one is
// new and none is kept; nor is one where memory is out when the thread begins.
//
// Who takes something huge gives it up before the end of the use.
#ifndef ASHLAR_UTIL_MEM_THREAD_SPARE_H_
#define ASHLAR_UTIL_MEM_THREAD_SPARE_H_

#include <utility>

#include "util/mem/thread_exit.h"

namespace ashlar::internal {

// `User`: any type, of which two kinds of use have one each. T: moved from, it
// is as good as new.
template <typename T, typename User>
class ThreadSpare {
 public:
  ThreadSpare() : object_(Take()) {}
  ThreadSpare(const ThreadSpare&) = delete;
  ThreadSpare& operator=(const ThreadSpare&) = delete;
  ~ThreadSpare() { Keep(std::move(object_)); }

  T* get() { return &object_; }
  T* operator->() { return &object_; }

  // For who holds the T itself meanwhile.
  static T Take() {
    Kept* const kept = OfThread();
    return kept == nullptr ? T() : std::move(kept->object);
  }
  static void Keep(T&& object) {
    Kept* const kept = OfThread();
    if (kept != nullptr) kept->object = std::move(object);
  }

 private:
  struct Kept {
    T object;
    ~Kept() { state = ThreadObject::kEnded; }
  };

  static Kept* OfThread() {
    if (!MayUse(&state)) [[unlikely]]
      return nullptr;
    thread_local Kept kept;
    return &kept;
  }

  // Needs no destructor itself, so it may be asked for ever.
  static inline constinit thread_local ThreadObject state =
      ThreadObject::kUnborn;

  T object_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_THREAD_SPARE_H_

// ThreadSpare: memory that a thread keeps from one use of it to the next.
//
//   ThreadSpare<Buffer, class Saving> buffer;
//   if (!buffer->TryReserve(n)) ...
//
// Each ThreadSpare has a T of its own, whatever is called meanwhile: the one
// that the thread has kept, if there is one, else a new one. Its contents are
// those of the last use. After the thread's own objects were destroyed, each T
// is new and none is kept. (Static objects, and objects that the thread made
// earlier, may still use it then.) The same holds as long as there is no memory
// to register what the thread keeps (thread_exit.h).
//
// A user that lets the T become very large must make it small again before the
// end of the use. One thread uses each object.
#ifndef ASHLAR_UTIL_MEM_THREAD_SPARE_H_
#define ASHLAR_UTIL_MEM_THREAD_SPARE_H_

#include <utility>

#include "util/mem/thread_exit.h"

namespace ashlar::internal {

// `User`: any type. Each User has a spare T of its own. Requires of T: after it
// was moved from, it is as good as new.
template <typename T, typename User>
class ThreadSpare {
 public:
  ThreadSpare() : object_(Take()) {}
  ThreadSpare(const ThreadSpare&) = delete;
  ThreadSpare& operator=(const ThreadSpare&) = delete;
  ~ThreadSpare() { Keep(std::move(object_)); }

  T* get() { return &object_; }
  T* operator->() { return &object_; }

  // For code that holds the T itself meanwhile.
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

  // Needs no destructor itself, so it may be read at any time.
  static inline constinit thread_local ThreadObject state =
      ThreadObject::kUnborn;

  T object_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_THREAD_SPARE_H_

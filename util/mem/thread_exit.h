// Whether a thread may get a thread_local object that has a destructor.
//
// Used before the first use of such an object on each thread. The C library
// notes its destructor in a few bytes of memory, and glibc ends the process
// where there are none: so there must be some, and those who ask do without the
// object where there are not.
#ifndef ASHLAR_UTIL_MEM_THREAD_EXIT_H_
#define ASHLAR_UTIL_MEM_THREAD_EXIT_H_

#include <cstddef>
#include <cstdlib>

namespace ashlar::internal {

// Whether there is memory for the note, with room to spare for other threads
// that take some before the note is made.
inline bool HasMemoryForThreadExit() {
  constexpr size_t kBytes = 4096;
  void* memory = std::malloc(kBytes);
  // Or the compiler would see that nothing is done with it.
  asm volatile("" : "+r"(memory) : : "memory");
  const bool has_memory = memory != nullptr;
  std::free(memory);
  return has_memory;
}

// What has become of a thread_local object on this thread.
enum class ThreadObject : unsigned char { kUnborn, kAlive, kEnded };

// Whether the object may be used: alive, or to be born now.
inline bool MayUse(ThreadObject* object) {
  if (*object == ThreadObject::kAlive) [[likely]]
    return true;
  if (*object == ThreadObject::kEnded || !HasMemoryForThreadExit()) {
    return false;
  }
  *object = ThreadObject::kAlive;
  return true;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_THREAD_EXIT_H_

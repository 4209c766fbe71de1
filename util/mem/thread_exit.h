// Whether a thread may have a thread_local object that has a destructor.
//
// Called before the first use of such an object on each thread. The C library
// notes the destructor in a few bytes of memory, and if it gets none, glibc
// ends the process. So callers ask here first, and do without the object if
// there is no memory. Thread-safe.
#ifndef ASHLAR_UTIL_MEM_THREAD_EXIT_H_
#define ASHLAR_UTIL_MEM_THREAD_EXIT_H_

#include <cstddef>
#include <cstdlib>

namespace ashlar::internal {

// Returns whether there is memory for the note, with room to spare for other
// threads that allocate before the note is made.
inline bool HasMemoryForThreadExit() {
  constexpr size_t kBytes = 4096;
  void* memory = std::malloc(kBytes);
  // Otherwise the compiler would see that nothing is done with it.
  asm volatile("" : "+r"(memory) : : "memory");
  const bool has_memory = memory != nullptr;
  std::free(memory);
  return has_memory;
}

// The state of a thread_local object on this thread.
enum class ThreadObject : unsigned char { kUnborn, kAlive, kEnded };

// Returns whether the object may be used: it is alive, or is made now.
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

#include "tools/bench/allocations.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace ashlar::bench {

namespace {

// A variable of the program itself, not of a library, so that no call is needed
// to find it.
thread_local uint64_t count = 0;

}  // namespace

}  // namespace ashlar::bench

#ifdef __GLIBC__

// The C library's own functions, under the names that it keeps for this use.
extern "C" {
void* LibraryMalloc(size_t size) asm("__libc_malloc");
void* LibraryCalloc(size_t n, size_t size) asm("__libc_calloc");
void* LibraryRealloc(void* memory, size_t size) asm("__libc_realloc");
void* LibraryMemalign(size_t alignment, size_t size) asm("__libc_memalign");

// All libraries of the process find these functions.
#define ASHLAR_IN_FRONT __attribute__((visibility("default")))

ASHLAR_IN_FRONT void* malloc(size_t size) {
  ++ashlar::bench::count;
  return LibraryMalloc(size);
}
ASHLAR_IN_FRONT void* calloc(size_t nmemb, size_t size) {
  ++ashlar::bench::count;
  return LibraryCalloc(nmemb, size);
}
ASHLAR_IN_FRONT void* realloc(void* ptr, size_t size) {
  ++ashlar::bench::count;
  return LibraryRealloc(ptr, size);
}
ASHLAR_IN_FRONT void* memalign(size_t alignment, size_t size) {
  ++ashlar::bench::count;
  return LibraryMemalign(alignment, size);
}
ASHLAR_IN_FRONT void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
ASHLAR_IN_FRONT int posix_memalign(void** memptr, size_t alignment,
                                   size_t size) {
  *memptr = memalign(alignment, size);
  return *memptr == nullptr ? ENOMEM : 0;
}
}

namespace ashlar::bench {
AllocationCounter CountAllocations() {
  return [] { return count; };
}
}  // namespace ashlar::bench

#else

namespace ashlar::bench {
AllocationCounter CountAllocations() { return nullptr; }
}  // namespace ashlar::bench

#endif

#include "tools/bench/allocations.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace ashlar::bench {

namespace {

// Of the program itself, so that no call is needed to find it.
thread_local uint64_t count = 0;

}  // namespace

}  // namespace ashlar::bench

#ifdef __GLIBC__

// The C library's own, under names that it keeps for this.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

// Found by all libraries of the process.
#define ASHLAR_IN_FRONT __attribute__((visibility("default")))

ASHLAR_IN_FRONT void* malloc(size_t size) {
  ++ashlar::bench::count;
  return __libc_malloc(size);
}
ASHLAR_IN_FRONT void* calloc(size_t n, size_t size) {
  ++ashlar::bench::count;
  return __libc_calloc(n, size);
}
ASHLAR_IN_FRONT void* realloc(void* memory, size_t size) {
  ++ashlar::bench::count;
  return __libc_realloc(memory, size);
}
ASHLAR_IN_FRONT void* memalign(size_t alignment, size_t size) {
  ++ashlar::bench::count;
  return __libc_memalign(alignment, size);
}
ASHLAR_IN_FRONT void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
ASHLAR_IN_FRONT int posix_memalign(void** memory, size_t alignment,
                                   size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
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

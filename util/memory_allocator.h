// MemoryAllocator: decides where cached objects are stored.
//
// An application derives from it and passes it to a cache. Code that makes
// objects for that cache (a table reader, for instance) allocates them from it,
// and CacheItemOps::destroy gives the memory back. Thread safety: any number of
// threads call it at once. Its functions must not throw. Not used for the
// cache's own tables.
#ifndef ASHLAR_UTIL_MEMORY_ALLOCATOR_H_
#define ASHLAR_UTIL_MEMORY_ALLOCATOR_H_

#include <cstddef>

namespace ashlar {

class MemoryAllocator {
 public:
  virtual ~MemoryAllocator() = default;
  // Returns a name for messages. It must live as long as the allocator.
  virtual const char* Name() const = 0;
  // Returns at least `size` bytes, aligned for any type, or null if there is no
  // memory.
  virtual void* Allocate(size_t size) = 0;
  // Gives back memory that Allocate returned. Any thread may call it.
  virtual void Deallocate(void* memory) = 0;
  // Returns the bytes that `memory` really takes, where `size` was passed to
  // Allocate. Cached blocks are charged this. The default returns `size`.
  virtual size_t UsableSize(void* memory, size_t size) const {
    static_cast<void>(memory);
    return size;
  }
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_MEMORY_ALLOCATOR_H_

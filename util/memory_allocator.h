// MemoryAllocator: where the user wants cached objects to lie.
//
// The user derives from it and hands it to a cache; whoever makes objects for
// that cache takes their memory from it, and the deleter gives it back. Any
// number of threads call it at once.
#ifndef ASHLAR_UTIL_MEMORY_ALLOCATOR_H_
#define ASHLAR_UTIL_MEMORY_ALLOCATOR_H_

#include <cstddef>

namespace ashlar {

class MemoryAllocator {
 public:
  virtual ~MemoryAllocator() = default;
  virtual const char* Name() const = 0;
  // At least `size` bytes, aligned for anything; null when there is no more.
  virtual void* Allocate(size_t size) = 0;
  virtual void Deallocate(void* memory) = 0;
  // What `memory`, asked for with `size`, really takes.
  virtual size_t UsableSize(void* memory, size_t size) const {
    static_cast<void>(memory);
    return size;
  }
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_MEMORY_ALLOCATOR_H_

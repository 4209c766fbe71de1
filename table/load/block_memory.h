// BlockMemory: memory for blocks in a cache that has no allocator of its own.
//
// Used by CachedDataBlock. The memory is malloc's, aligned to cache lines. A
// thread that puts blocks into a full cache also ends about as many, of about
// the same size. So what it gives back it takes again. malloc would join that
// memory with its neighbours and cut it off again, which touches distant cache
// lines each time. A thread keeps up to kPlaces pieces of up to kMostBytes
// until it ends. Under AddressSanitizer it keeps none, so that each use of a
// freed block is seen. Thread-safe.
#ifndef ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_
#define ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_

#include <cstddef>

namespace ashlar::internal {

class BlockMemory {
 public:
  static constexpr size_t kPlaces = 4;
  static constexpr size_t kMostBytes = size_t{32} << 10;

  // Returns memory of at least this many bytes, aligned to a cache line; null
  // if there is none.
  static void* Take(size_t bytes);
  // Takes the memory back. Any thread may call this.
  static void GiveBack(void* memory);
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_

// BlockMemory: memory for blocks in a cache that has no allocator of its own.
//
// malloc's, by cache lines. A thread that puts blocks into a full cache ends
// about as many, of about the same size: what it gives back it takes again,
// where malloc would join it with its neighbours and cut it off anew, which
// takes lines from far away each time. A thread keeps kPlaces pieces of up to
// kMostBytes, until it ends. Not under AddressSanitizer, which is to see each
// use of a block that is gone.
#ifndef ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_
#define ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_

#include <cstddef>

namespace ashlar::internal {

class BlockMemory {
 public:
  static constexpr size_t kPlaces = 4;
  static constexpr size_t kMostBytes = size_t{32} << 10;

  // Begins where a cache line does. Null: there is none.
  static void* Take(size_t bytes);
  // By any thread.
  static void GiveBack(void* memory);
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_

// BlockMemory and BlockRoom: memory for blocks in a cache.
//
// BlockMemory is for a cache that has no allocator of its own. The memory is
// malloc's, aligned to cache lines. A thread that puts blocks into a full cache
// also ends about as many, of about the same size. So what it gives back it
// takes again. malloc would join that memory with its neighbours and cut it off
// again, which touches distant cache lines each time. A thread keeps up to
// kPlaces pieces of up to kMostBytes until it ends. Under AddressSanitizer it
// keeps none, so that each use of a freed block is seen. Thread-safe.
//
// BlockRoom is the memory of one block that is being loaded for the cache. A
// block is decompressed, or read, to where it will stay, and CachedDataBlock
// then becomes its owner. One thread at a time.
#ifndef ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_
#define ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_

#include <cstddef>
#include <utility>

#include "ashlar/util/memory_allocator.h"
#include "ashlar/util/slice.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class BlockMemory {
 public:
  static constexpr size_t kPlaces = 4;
  static constexpr size_t kMostBytes = size_t{32} << 10;

  struct Piece {
    void* memory = nullptr;
    size_t bytes = 0;  // all that may be used, and what it is charged
  };

  // Returns memory of at least this many bytes, aligned to a cache line; null
  // if there is none.
  static Piece Take(size_t bytes);
  // Takes the memory back. Any thread may call this. Does not touch the memory
  // if the thread keeps it.
  static void GiveBack(const Piece& piece);
};

class BlockRoom {
 public:
  // The bytes after a block's that may be read and overwritten.
  static constexpr size_t kSlack = Buffer::kSlack;

  // `front`: how many bytes the owner needs before the block's, a multiple of
  // 8. `allocator`, or BlockMemory if it is null, gives the memory, and must
  // outlive this.
  BlockRoom(MemoryAllocator* allocator, size_t front)
      : allocator_(allocator), front_(front) {}
  BlockRoom(const BlockRoom&) = delete;
  BlockRoom& operator=(const BlockRoom&) = delete;
  ~BlockRoom() { GiveBack(); }

  // Returns where a block of `n` bytes goes, before kSlack bytes that it may
  // use too; null if there is no memory. To be called again if another size
  // turns out to be needed: what was there is lost.
  char* Take(size_t n);
  // Returns whether these are bytes that are here.
  bool Holds(const Slice& contents) const {
    return piece_.memory != nullptr && contents.data() == bytes();
  }
  // Gives the memory away. `bytes`: all of it if it is BlockMemory's, else what
  // the allocator was asked for.
  BlockMemory::Piece Release() {
    return std::exchange(piece_, BlockMemory::Piece());
  }

  MemoryAllocator* allocator() const { return allocator_; }
  size_t front() const { return front_; }

 private:
  char* bytes() const { return static_cast<char*>(piece_.memory) + front_; }
  void GiveBack();

  MemoryAllocator* const allocator_;
  const size_t front_;
  BlockMemory::Piece piece_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCK_MEMORY_H_

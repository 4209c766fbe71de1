// BlocksAhead: finds in the block cache the blocks that a walk comes to next.
//
// A walk from block to block waits for memory three times at each: for the
// cache's slot, for the record of the block, and for its bytes. BlocksAhead
// looks several blocks up at once, and tells the walk the bytes of the next
// block while it is still on the one before. It reads nothing from the file.
// The number of blocks grows with the walk, so that a seek and a few steps look
// up nothing that they do not need.
//
// Part of an iterator: one thread at a time. Holds up to kMost cache handles.
#ifndef ASHLAR_TABLE_LOAD_BLOCKS_AHEAD_H_
#define ASHLAR_TABLE_LOAD_BLOCKS_AHEAD_H_

#include <array>
#include <cstddef>

#include "table/block/block.h"
#include "table/format/block_handle.h"
#include "table/format/block_place.h"
#include "table/index/index_cursor.h"
#include "table/load/data_block_cache.h"

namespace ashlar::internal {

class BlocksAhead {
 public:
  explicit BlocksAhead(const DataBlockCache* cache) : cache_(cache) {}

  // To be called when the walk comes to a block. Returns whether the block was
  // found ahead; *block is then that block.
  bool Take(const BlockPlace& place, PinnedBlock* block);
  // To be called when the walk has stepped to the cursor's block, and will go
  // on in this direction.
  void LookOn(const IndexCursor& at, bool forward);
  // Returns the block that comes next, or null if it was not found.
  const BlockView* next() const {
    return begin_ == end_ || !found_[begin_] ? nullptr
                                             : &found_[begin_]->view();
  }
  // To be called when a walk begins. Releases what was found.
  void Clear();

 private:
  static constexpr size_t kMost = 16;

  void Fill(const IndexCursor& at);

  const DataBlockCache* const cache_;
  // The blocks that come next, in the walk's order, are [begin_, end_).
  std::array<BlockHandle, kMost> handles_;
  std::array<CachedBlockHandle, kMost> found_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool forward_ = true;
  size_t wanted_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCKS_AHEAD_H_

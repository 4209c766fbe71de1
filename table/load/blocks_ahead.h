// BlocksAhead: the blocks that a walk comes to next, found in the block cache
// before the walk needs them.
//
// A walk that goes from block to block waits for memory at each: for the
// cache's slot, for the block's own record, for its bytes. Here several blocks
// are looked up at once, and the walk is told of the next one's bytes while it
// is still on the one before. Nothing is read for it. The number grows with the
// walk, so that a seek and a few steps look up nothing that they do not need.
//
// Part of an iterator; one thread at a time. Holds up to kMost references.
#ifndef ASHLAR_TABLE_LOAD_BLOCKS_AHEAD_H_
#define ASHLAR_TABLE_LOAD_BLOCKS_AHEAD_H_

#include <array>
#include <cstddef>

#include "table/block/block.h"
#include "table/format/block_handle.h"
#include "table/format/block_place.h"
#include "table/index/index_cursor.h"
#include "table/load/data_blocks.h"

namespace ashlar::internal {

class BlocksAhead {
 public:
  explicit BlocksAhead(const DataBlocks* blocks) : blocks_(blocks) {}

  // The walk has come to this block. True: *block is it.
  bool Take(const BlockPlace& place, PinnedBlock* block);
  // The walk has stepped to the block that the cursor stands on, and will go on
  // that way.
  void LookOn(const IndexCursor& at, bool forward);
  // The block that comes next; null where it was not found.
  const BlockView* next() const {
    return begin_ == end_ || !found_[begin_] ? nullptr
                                             : &found_[begin_]->view();
  }
  // The walk begins anew.
  void Clear();

 private:
  static constexpr size_t kMost = 16;

  void Fill(const IndexCursor& at);

  const DataBlocks* const blocks_;
  // Those that come next, in the walk's order, are [begin_, end_).
  std::array<BlockHandle, kMost> handles_;
  std::array<CachedBlockHandle, kMost> found_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool forward_ = true;
  size_t wanted_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCKS_AHEAD_H_

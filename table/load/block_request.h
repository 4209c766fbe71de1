// BlockRequest: a read's wish for one data block, alone or with others.
//
// The reader that makes it owns it, and its `block` and `note` outlive it. One
// thread at a time.
#ifndef ASHLAR_TABLE_LOAD_BLOCK_REQUEST_H_
#define ASHLAR_TABLE_LOAD_BLOCK_REQUEST_H_

#include <cstddef>
#include <cstdint>

#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "table/index/block_note.h"
#include "table/load/pinned_block.h"

namespace ashlar::internal {

class DataBlocks;

// The most blocks of one table that are requested together, and the most of
// several tables.
inline constexpr size_t kBlockBatchMax = 32;
inline constexpr size_t kTablesBatchMax = 64;
// A batch that holds more bytes than this loads no further blocks.
inline constexpr uint64_t kBlockBatchBytes = uint64_t{64} << 20;

struct BlockRequest {
  BlockPlace place;
  BlockNote note;
  PinnedBlock* block = nullptr;
  Status status;  // the answer
  // Whether it was not loaded, because the others are large. It is to be loaded
  // when they are released.
  bool postponed = false;
  // In a batch of several tables, whose block it is. LoadTogether sets it.
  const DataBlocks* table_blocks = nullptr;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_BLOCK_REQUEST_H_

// How data blocks that were found without the index go together with those that
// the index names.
//
// Blocks are in the order of their keys in a file, so the file order serves;
// except that in a file without context checksums, blocks may have changed
// places and still be sound, also where the index names others. Such blocks are
// put in the order of their first keys, since a new table takes its entries in
// order, and of two copies of a block only one. The separators of the index say
// between which of its blocks a block belongs; if the index is lost, or its
// separators are in no known order, found blocks are only put in order among
// themselves. Pure functions, but for what they read.
#ifndef ASHLAR_TABLE_INSPECT_SHOWN_ORDER_H_
#define ASHLAR_TABLE_INSPECT_SHOWN_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "table/inspect/data_block_check.h"
#include "table/walk/block_walk.h"

namespace ashlar::internal {

// Whether blocks that are damaged where they should be count.
enum class Damaged : uint8_t { kNo, kYes };

// Returns these data blocks of an index and `blocks`, in file order.
std::vector<BlockHandle> KnownBlocks(const IndexItems& indexed,
                                     const std::vector<BlockInfo>& blocks,
                                     Damaged damaged);
// Returns the parts of [0, end) that hold none of these blocks.
std::vector<ByteRange> PartsBetween(const std::vector<BlockHandle>& known,
                                    uint64_t end);
// Returns what both have in common. Each is in order, without overlaps.
std::vector<ByteRange> InBoth(const std::vector<ByteRange>& a,
                              const std::vector<ByteRange>& b);
// Returns whether the range begins within one of these blocks.
bool IsKnown(const std::vector<BlockHandle>& known, const ByteRange& range);

// Numbers of data blocks.
struct ShownOrder {
  std::vector<size_t> numbers;  // in the order in which they are shown
  // Those of them that the index names, but where a copy of another block is:
  // they are reported, and their entries are not shown.
  std::set<size_t> copies;
  // Those of them that the index names, but where a block is that belongs
  // elsewhere. It is shown, but the block that the index means is lost.
  std::set<size_t> overwritten;
};

// Sets *shown. Reads the first keys of blocks for it: of all of them if every
// entry is to be shown and no context checksum says where a block was written.
// Returns false if on_progress ended it. Begins a step of `reads`.
bool OrderToShow(const DataBlockInputs& inputs, PassReads* reads,
                 ShownOrder* shown);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_SHOWN_ORDER_H_

// CheckEntries: checks every entry of a block, so that later walks over the
// block need not.
//
// For blocks that stay in memory and are walked many times. It reports no
// damage: a block that is not sound is walked as any other, and the walk that
// comes to the damage reports it. A block whose keys would take too much memory
// per restart interval counts as not sound.
//
// Thread-safe, with a walker per thread.
#ifndef ASHLAR_TABLE_BLOCK_CHECKED_ENTRIES_H_
#define ASHLAR_TABLE_BLOCK_CHECKED_ENTRIES_H_

#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/format/block_place.h"

namespace ashlar::internal {

// Checks the block by the walker's order. The walker loses the block that it
// was on. Requires: values are not apart (BlockView::separated).
CheckedEntries CheckEntries(const BlockView& view, const BlockPlace& place,
                            BlockIterator* walker);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_CHECKED_ENTRIES_H_

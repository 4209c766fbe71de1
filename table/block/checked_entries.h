// CheckEntries: looks at every entry of a block, so that whoever walks over the
// block later need not.
//
// For blocks that stay in memory and are walked many times. Damage is not told
// here: a block that is not sound is walked as any other, and the walk that
// comes to the damage tells what it is. Nor is a block sound whose keys would
// take too much memory a restart interval.
#ifndef ASHLAR_TABLE_BLOCK_CHECKED_ENTRIES_H_
#define ASHLAR_TABLE_BLOCK_CHECKED_ENTRIES_H_

#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/format/block_place.h"

namespace ashlar::internal {

// By the walker's order; it lets go of the block that it was on. Only of blocks
// whose values stand with their keys.
CheckedEntries CheckEntries(const BlockView& view, const BlockPlace& place,
                            BlockIterator* walker);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_CHECKED_ENTRIES_H_

// ProveBlock: checks sound data blocks quickly.
//
// If it meets anything that it cannot prove, such as a fault, it leaves the
// whole block to the walk that goes entry by entry, from the first one on. So
// that walk reports what is wrong, and no fault is reported that it does not
// see. Thread-safe, each thread with a DataWalk of its own.
#ifndef ASHLAR_TABLE_INSPECT_PROVE_BLOCK_H_
#define ASHLAR_TABLE_INSPECT_PROVE_BLOCK_H_

#include "table/inspect/data_block_check.h"

namespace ashlar::internal {

// Does what the walk entry by entry does, faster, for most sound blocks.
// Returns false if that walk has to do it. Requires: the order of keys is
// known.
bool ProveBlock(const DataBlockInputs& inputs, const BlockView& view,
                const BlockPlace& place, DataWalk* walk, BlockInfo* info);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_PROVE_BLOCK_H_

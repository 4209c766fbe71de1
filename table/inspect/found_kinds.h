// FindKinds: finds out what the blocks are that a walk found, by what is in
// them.
//
//   in    the file, the blocks of the walk, and the footer in *found, which
//         says how blocks are signed and compressed
//   out   the rest of *found: data blocks, names of the others, and the places
//         of metaindex and index in the footer
//
// found_table.h says by what each kind is recognised. Runs on the calling
// thread.
#ifndef ASHLAR_TABLE_INSPECT_FOUND_KINDS_H_
#define ASHLAR_TABLE_INSPECT_FOUND_KINDS_H_

#include "ashlar/util/file.h"
#include "table/inspect/findings.h"
#include "table/inspect/found_table.h"
#include "table/walk/block_walk.h"

namespace ashlar::internal {

// has_contexts: whether it is known that blocks are where they were written.
void FindKinds(const RandomAccessFile& file, bool has_contexts,
               const BlockWalk& walk, Findings* findings, FoundTable* found);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_FOUND_KINDS_H_

// The index pass of an inspection: walks over the index, and checks what a
// reader relies on in it.
//
//   in    TableFacts: the form of the index, if the properties say it
//   out   IndexedBlocks: the data blocks that the index names
//
// The blocks of the index and their faults go into Findings. If the index is
// damaged, the data blocks that it names before the damage are used. Runs on
// the calling thread; what it returns may then be read by any thread.
#ifndef ASHLAR_TABLE_INSPECT_INDEX_PASS_H_
#define ASHLAR_TABLE_INSPECT_INDEX_PASS_H_

#include "table/inspect/findings.h"
#include "table/inspect/indexed_blocks.h"
#include "table/inspect/inspected_file.h"
#include "table/inspect/table_facts.h"

namespace ashlar::internal {

// Returns ok also if the index is damaged. Returns Aborted if on_progress ended
// it, or MemoryLimit if a reader could not keep all partitions: that is a
// limit, and no fault of the file.
Status InspectIndex(const TableFacts& facts, PassReads* reads,
                    Findings* findings, IndexedBlocks* blocks);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_INDEX_PASS_H_

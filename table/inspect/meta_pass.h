// The meta pass of an inspection: the meta blocks that the metaindex names.
//
//   in    TableFacts, which the first half of the pass found (table_facts.h);
//         IndexedBlocks, since a filter is for the keys of data blocks
//   out   MetaBlocks: what data blocks are compared with; and the dictionary,
//         which goes into the InspectedFile
//
// The blocks and their faults go into Findings. Index and properties are left
// out, since other functions inspect them. The pass runs after the index pass;
// but before it if the number of index levels must be guessed, since a look at
// data blocks needs the dictionary. It runs on the calling thread. What it
// returns may then be read by any thread.
#ifndef ASHLAR_TABLE_INSPECT_META_PASS_H_
#define ASHLAR_TABLE_INSPECT_META_PASS_H_

#include <cstdint>

#include "table/inspect/asked_filter.h"
#include "table/inspect/findings.h"
#include "table/inspect/hash_index_blocks.h"
#include "table/inspect/indexed_blocks.h"
#include "table/inspect/inspected_file.h"
#include "table/inspect/table_facts.h"

namespace ashlar::internal {

struct MetaBlocks {
  AskedFilter filter;
  HashIndexBlocks hash_index = {};
  uint64_t num_range_deletions = 0;
};

// Returns Aborted if on_progress ended it. Requires: `reads` reads *file.
Status InspectMetaBlocks(const TableFacts& facts, const IndexedBlocks& blocks,
                         InspectedFile* file, PassReads* reads,
                         Findings* findings, MetaBlocks* meta);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_META_PASS_H_

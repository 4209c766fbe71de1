// Get of one key: filter, index, block.
//
// Data flow. What a Get waits for is memory: a line of the filter, a leaf of
// the index, the block's first lines together with its slot in the cache, and
// its entry, each found by what came before. Where the filter has let keys pass
// of late, the index's leaf is being fetched while the filter is asked; where
// it has not, the index is not touched before the filter has answered. The
// words of a cached block mostly decide the rest; where they do not, and for
// tables whose blocks are not found by one search of one index, PointLookup
// does it (point_lookup.h).
//
// Any number of threads.
#ifndef ASHLAR_TABLE_READ_GET_H_
#define ASHLAR_TABLE_READ_GET_H_

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// As TableReader::Get; messages do not name the file.
Status RunGet(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback& on_operand, GetResult* result);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_GET_H_

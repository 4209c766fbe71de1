// Get of one key: filter, index, block.
//
// Data flow. A Get waits for memory: a line of the filter, a leaf of the index,
// the first lines of the block together with its clock slot, and its entry.
// Each is found by what came before. While the filter has let keys pass
// recently, the leaf of the index is prefetched while the filter is asked. Else
// the index is not touched before the filter has answered. The entry words of a
// cached block mostly decide the rest. If they do not, and for tables whose
// blocks are not found by one search of one index, a PointLookup does it
// (point_lookup.h).
//
// Any number of threads.
#ifndef ASHLAR_TABLE_READ_GET_H_
#define ASHLAR_TABLE_READ_GET_H_

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// Does what TableReader::Get does; messages do not name the file.
Status RunGet(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback& on_operand, GetResult* result);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_GET_H_

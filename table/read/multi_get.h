// MultiGet: many keys of one table, looked up together.
//
// Data flow. Keys pass in chunks of 32, in the caller's order, since sorting
// costs more than it gains. A chunk passes six stages. Each stage is done for
// all keys before the next begins, so that the waits for memory overlap:
//
//   Filter  hashes of all keys, all lines of the filter, then the answers
//   Index   all searches go down the index together
//   Blocks  keys that need the same block share a request; a small table
//           finds equal ones
//   Load    one cache lookup for each distinct block; missing blocks are read
//           together, neighbours by one read (data_blocks.h)
//   Look    each key finds its entry by the block's entry words, and
//           prefetches it
//   Answer  compares the entry, and pins the value
//
// Between stages a key needs no more than its place in the index and the number
// of its block. So the chunk stays in the processor's first-level cache. A key
// that the entry words do not decide (blocks without words, more versions in
// the next block, merge operands, range deletions) is searched alone from its
// block on, by a PointLookup. If the missing blocks of a chunk are large, those
// beyond 64 MiB are postponed: they are loaded one after another once the
// others are done with, and their keys are searched alone too.
//
// Ownership. Blocks belong to the chunk. A block that only one key of the chunk
// needs goes to that key's value. A block that several keys need is shared by
// their values, with one count (SharedCleanable), and is released with the last
// of them.
//
// One thread per call; other threads may use the table meanwhile.
#ifndef ASHLAR_TABLE_READ_MULTI_GET_H_
#define ASHLAR_TABLE_READ_MULTI_GET_H_

#include <span>

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// Does what TableReader::MultiGet does.
void RunMultiGet(const OpenedTable& table, const ReadOptions& options,
                 std::span<const Slice> user_keys, SequenceNumber snapshot,
                 std::span<GetResult> results, std::span<Status> statuses,
                 const BatchOperandCallback& on_operand);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_MULTI_GET_H_

// MultiGet: many keys of one table, looked up side by side.
//
// Data flow. Keys go through in chunks of 32, in the caller's order, since
// sorting costs more than it brings. A chunk passes six stages, each for all of
// its keys before the next begins, so that the waits for memory overlap:
//
//   Filter  hashes of all keys, all lines of the filter, then the answers
//   Index   all searches go down the index together
//   Blocks  keys that need one block share a request: equal ones are found by a
//           small table
//   Load    one lookup in the cache for each distinct block; those that are
//           missing are read together, neighbours by one read (data_blocks.h)
//   Look    each key finds its entry by the block's words, which has it fetched
//   Answer  compares the entry, and pins the value
//
// All that a key needs in between is its place in the index and the number of
// its block, so that the chunk stays in the processor's nearest cache. A key
// that the words do not decide (blocks without words, more versions in the next
// block, merge operands, range deletions) is searched alone from its block on,
// by a PointLookup. Where the missing blocks of a chunk are large, those beyond
// 64 MiB are postponed: they are loaded one after another once the others are
// done with, and their keys searched alone too.
//
// Blocks belong to the chunk. A block that only one key of the chunk needs goes
// to its value; one that several need is shared by their values, by one count
// (SharedCleanable), and goes with the last of them.
//
// One thread; the table may be used by others meanwhile.
#ifndef ASHLAR_TABLE_READ_MULTI_GET_H_
#define ASHLAR_TABLE_READ_MULTI_GET_H_

#include <span>

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// As TableReader::MultiGet.
void RunMultiGet(const OpenedTable& table, const ReadOptions& options,
                 std::span<const Slice> user_keys, SequenceNumber snapshot,
                 std::span<GetResult> results, std::span<Status> statuses,
                 const BatchOperandCallback& on_operand);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_MULTI_GET_H_

// MultiGet: many keys of one table, looked up together.
//
// Data flow. Keys pass in chunks of 32, in the caller's order, since sorting
// costs more than it gains. A chunk is a KeyBatch, whose stages key_batch.h
// describes. It asks the filter for all keys together, and loads its blocks by
// one cache lookup for each distinct block; missing blocks are read together,
// neighbours by one read (data_blocks.h). If the missing blocks of a chunk are
// large, those beyond 64 MiB are postponed: they are loaded one after another
// once the others are done with, and their keys are searched alone.
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

// Does what TableReader::VisitVersionsBatch does.
void RunVisitBatch(const OpenedTable& table, const ReadOptions& options,
                   std::span<const Slice> user_keys, SequenceNumber snapshot,
                   std::span<Status> statuses,
                   const BatchVersionCallback& visit);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_MULTI_GET_H_

// Questions to a table's filter alone: TableReader::KeyMayMatch and its like.
//
// Any number of threads. Messages do not name the file.
#ifndef ASHLAR_TABLE_READ_ASK_FILTER_H_
#define ASHLAR_TABLE_READ_ASK_FILTER_H_

#include <span>

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

Status AskFilterForKey(const OpenedTable& table, const ReadOptions& options,
                       const Slice& user_key, GetResult::Filter* answer);
// Requires: the spans have the same size.
void AskFilterForKeys(const OpenedTable& table, const ReadOptions& options,
                      std::span<const Slice> user_keys,
                      std::span<GetResult::Filter> answers,
                      std::span<Status> statuses);
Status AskFilterForPrefix(const OpenedTable& table, const ReadOptions& options,
                          const Slice& user_key, GetResult::Filter* answer);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_ASK_FILTER_H_

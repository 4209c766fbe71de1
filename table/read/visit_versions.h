// VisitVersions of one key: the way of a Get (get.h), which passes stored
// versions to a callback and gives no answer.
//
// Any number of threads.
#ifndef ASHLAR_TABLE_READ_VISIT_VERSIONS_H_
#define ASHLAR_TABLE_READ_VISIT_VERSIONS_H_

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// Does what TableReader::VisitVersions does; messages do not name the file.
// *counted then tells what is to be counted.
Status RunVisit(const OpenedTable& table, const ReadOptions& options,
                const Slice& user_key, SequenceNumber snapshot,
                const VersionCallback& visit, GetResult* counted);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_VISIT_VERSIONS_H_

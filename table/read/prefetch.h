// Prefetch: loads the data blocks of a range of keys into the block cache.
//
// Any number of threads. Messages do not name the file.
#ifndef ASHLAR_TABLE_READ_PREFETCH_H_
#define ASHLAR_TABLE_READ_PREFETCH_H_

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// Does what TableReader::Prefetch does.
Status PrefetchRange(const OpenedTable& table, const ReadOptions& given,
                     const Slice* begin, const Slice* end);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_PREFETCH_H_

// The order in which reads ask the tables of a column family. Thread-safe.
#ifndef ASHLAR_TABLE_DATABASE_ASKING_ORDER_H_
#define ASHLAR_TABLE_DATABASE_ASKING_ORDER_H_

#include "ashlar/table/database_files.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

// Sorts the tables as ColumnFamilyFiles has them, puts timestamps back into
// keys whose table has none, and sets `order_is_known`. Returns Corruption if
// tables overlap that must not, which RocksDB 11.8.1 answers with an empty
// list.
Status PutIntoAskingOrder(ColumnFamilyFiles* family);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_DATABASE_ASKING_ORDER_H_

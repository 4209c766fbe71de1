// ReaderAccess: the OpenedTable of a TableReader, for reads over several
// tables. Thread-safe.
#ifndef ASHLAR_TABLE_READ_READER_ACCESS_H_
#define ASHLAR_TABLE_READ_READER_ACCESS_H_

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

class ReaderAccess {
 public:
  static const OpenedTable& TableOf(const TableReader& reader);
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_READER_ACCESS_H_

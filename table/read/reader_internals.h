// ReaderInternals: the OpenedTable of a TableReader, for code of the library
// that is given readers by a caller.
//
// Used by WarmTables and MultiGetFromTables. The table lives as long as its
// reader. Thread-safe.
#ifndef ASHLAR_TABLE_READ_READER_INTERNALS_H_
#define ASHLAR_TABLE_READ_READER_INTERNALS_H_

#include "ashlar/table/table_reader.h"
#include "table/read/opened_table.h"

namespace ashlar {

struct ReaderInternals {
  static const internal::OpenedTable& TableOf(const TableReader& reader);
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_READ_READER_INTERNALS_H_

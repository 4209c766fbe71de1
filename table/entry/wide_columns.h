// Wide-column entities: the values of type kTypeWideColumnEntity, which hold
// several named columns.
//
// For who reads entities through TableReader, or writes them through
// TableBuilder and ExternalFileWriter. Pure functions: thread-safe.
#ifndef ASHLAR_TABLE_ENTRY_WIDE_COLUMNS_H_
#define ASHLAR_TABLE_ENTRY_WIDE_COLUMNS_H_

#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

struct WideColumn {
  // Empty: the default column, which plain readers take for the whole value.
  Slice name;
  Slice value;
  // Whether `value` is a reference into a blob file (table/entry/blob_index.h).
  bool is_blob_index = false;
};

// The columns, by ascending name. They live as long as `entity`. Corruption
// for what is no entity, NotSupported for versions other than 1 and 2.
ASHLAR_EXPORT Status DecodeWideColumns(const Slice& entity,
                                       std::vector<WideColumn>* columns);

// Only the default column; nothing where the entity has none. As strict.
ASHLAR_EXPORT Status FindDefaultColumn(const Slice& entity,
                                       std::optional<WideColumn>* column);

// *entity is overwritten. The columns may come in any order; InvalidArgument
// where two have one name, or where they are too large for an entity. Version
// 1, or 2 where a column refers to a blob.
ASHLAR_EXPORT Status EncodeWideColumns(std::vector<WideColumn> columns,
                                       std::string* entity);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_WIDE_COLUMNS_H_

// Wide-column entities: values of entries of type kTypeWideColumnEntity, which
// hold several named columns.
//
// For callers that read entities through TableReader or Iterator, and for those
// that write them through TableBuilder. (ExternalFileWriter::PutEntity takes
// columns and encodes them itself.) FORMAT.md, section 6.3, has the bytes.
//
// Plain values and pure functions: thread-safe.
#ifndef ASHLAR_TABLE_ENTRY_WIDE_COLUMNS_H_
#define ASHLAR_TABLE_ENTRY_WIDE_COLUMNS_H_

#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// A column of an entity: its name and its value.
struct WideColumn {
  // Empty: the default column. A reader that knows no columns takes its value
  // for the value of the key.
  Slice name;
  Slice value;
  // Whether `value` is not the value but a reference to it
  // (table/entry/blob_index.h).
  bool is_blob_index = false;
};

// Decodes all columns of an entity into *columns, which is overwritten, by
// ascending name (unsigned bytes). Their slices point into `entity` and live as
// long as its bytes. Returns Corruption if the bytes are no entity,
// NotSupported if they are one of a version other than 1 and 2, MemoryLimit if
// memory runs out. *columns is empty after the first two errors.
ASHLAR_EXPORT Status DecodeWideColumns(const Slice& entity,
                                       std::vector<WideColumn>* columns);

// Like DecodeWideColumns, but returns the default column alone, or nothing if
// the entity has none. Checks all columns all the same, and allocates nothing.
ASHLAR_EXPORT Status FindDefaultColumn(const Slice& entity,
                                       std::optional<WideColumn>* column);

// Encodes the columns, given in any order, into *entity, which is overwritten.
// The entity has version 1, or version 2 if any column has is_blob_index.
// Returns InvalidArgument, and leaves *entity alone, if two columns have the
// same name, or if names and values together exceed 4 GiB - 1 bytes. Returns
// MemoryLimit if memory runs out; *entity then has no meaning.
ASHLAR_EXPORT Status EncodeWideColumns(std::vector<WideColumn> columns,
                                       std::string* entity);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_WIDE_COLUMNS_H_

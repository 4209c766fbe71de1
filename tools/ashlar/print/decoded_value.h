// Shows values that have an inner format as text: blob indexes and wide
// columns. Pure functions.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_DECODED_VALUE_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_DECODED_VALUE_H_

#include <optional>
#include <string>

#include "ashlar/util/slice.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {

// Returns `[blob ref] file:..` or `[inlined blob] ..`, as RocksDB's tool shows
// it. Returns nothing if `value` is not a blob index.
std::optional<std::string> DescribeBlobIndex(const Slice& value,
                                             ByteStyle style);

// Returns `name:value` pairs, separated by spaces. Returns nothing if `entity`
// is not an entity of wide columns.
std::optional<std::string> DescribeWideColumns(const Slice& entity,
                                               ByteStyle style);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_DECODED_VALUE_H_

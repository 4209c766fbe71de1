// Values that have a form of their own, for text output: references into blob
// files and wide columns. Pure functions.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_DECODED_VALUE_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_DECODED_VALUE_H_

#include <optional>
#include <string>

#include "ashlar/util/slice.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {

// `[blob ref] file:..` or `[inlined blob] ..`, as RocksDB's tool shows it, or
// nothing when `value` is no blob index.
std::optional<std::string> DescribeBlobIndex(const Slice& value,
                                             ByteStyle style);

// `name:value` pairs with a space between two, or nothing when `entity` is
// none.
std::optional<std::string> DescribeWideColumns(const Slice& entity,
                                               ByteStyle style);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_DECODED_VALUE_H_

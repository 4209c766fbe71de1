// ArrowType: the type of a column, parsed from an ArrowSchema.
//
// Plain values, thread-safe. Not every type of Arrow is served: unions, runs
// (run-end encoding), intervals of months and decimals of more than 16 bytes
// are not. An extension type counts as the type in which it is stored.
#ifndef ASHLAR_TOOLS_ARROW_ARROW_TYPE_H_
#define ASHLAR_TOOLS_ARROW_ARROW_TYPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/arrow/c_data.h"

namespace ashlar::arrow {

// What a value means.
enum class Meaning : uint8_t {
  kNull,
  kBool,
  kInteger,
  kUnsigned,
  kFloat,
  kDecimal,
  kText,
  kBytes,
  kDate,       // days, or milliseconds if the width is 8
  kTime,       // of a day
  kTimestamp,  // since 1970
  kDuration,
  kList,
  kStruct,
  kMap,  // a list of pairs, a key and a value
};

// How values are stored.
enum class Layout : uint8_t {
  kNothing,
  kBits,
  kFixed,        // `width` bytes each
  kOffsets,      // bytes between two offsets, of 4 bytes
  kLongOffsets,  // of 8 bytes
  kViews,        // 16 bytes each, with short bytes inside
  kList,         // a part of the child, between two offsets of 4 bytes
  kLongList,
  kListView,  // a part of the child: offset and size, of 4 bytes each
  kLongListView,
  kFixedList,  // `width` values of the child each
  kStruct,
};

struct ArrowType {
  // Returns whether its values have parts, so that only JSON can write them.
  bool IsNested() const { return meaning >= Meaning::kList; }

  std::string name;  // of the column, as the schema has it
  Meaning meaning = Meaning::kNull;
  Layout layout = Layout::kNothing;
  uint32_t width = 0;
  // Of kTime, kTimestamp, kDuration: a second has 10^this units. Of a kDate of
  // milliseconds too.
  int unit_digits = 0;
  bool has_zone = false;  // of kTimestamp: counted in UTC
  int scale = 0;          // of kDecimal: digits after the point
  std::vector<ArrowType> children;
  // If the values are in a dictionary: the type of the values, alone. All else
  // is the type of the indexes.
  std::vector<ArrowType> dictionary;
};

// Sets *type. Returns NotSupported for a type that is not served and for types
// within each other more than 32 times, and InvalidArgument for a schema that
// is malformed. Messages do not name the column.
Status ParseArrowType(const ArrowSchema& schema, ArrowType* type);

// Returns what the type is called in messages, such as "int64", or "list".
std::string TypeName(const ArrowType& type);

}  // namespace ashlar::arrow

#endif  // ASHLAR_TOOLS_ARROW_ARROW_TYPE_H_

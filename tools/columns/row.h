// Row: one row of the input of `build`.
#ifndef ASHLAR_TOOLS_COLUMNS_ROW_H_
#define ASHLAR_TOOLS_COLUMNS_ROW_H_

#include <cstdint>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"

namespace ashlar::tool {

// The place of a row in the inputs, for messages.
struct RowPlace {
  const std::string* input = nullptr;
  uint64_t line = 0;

  std::string ToString() const { return *input + ":" + std::to_string(line); }
};

struct Row {
  Slice key;  // user key
  Slice value;
  SequenceNumber sequence = 0;
  ValueType type = ValueType::kTypeValue;
  // Whether the input gave the row's sequence number.
  bool has_sequence = false;
  RowPlace place;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_COLUMNS_ROW_H_

// Values of Arrow's columns as MessagePack. Pure functions: thread-safe.
//
// Integers, booleans, floats, text, bytes and null become what MessagePack has
// for them. Dates, times, timestamps, durations and decimals become the text
// that JSON has for them. Lists become arrays, structs maps, and maps arrays of
// pairs.
#ifndef ASHLAR_PYTHON_SRC_MESSAGE_PACK_H_
#define ASHLAR_PYTHON_SRC_MESSAGE_PACK_H_

#include <cstddef>
#include <string>

#include "ashlar/util/slice.h"
#include "tools/arrow/column.h"

namespace ashlar::python {

void AppendMapHeader(size_t members, std::string* to);
void AppendPackedText(const Slice& text, std::string* to);

// If it returns false, *reason says what is wrong with the value.
bool AppendPacked(const arrow::Cell& cell, std::string* to,
                  std::string* reason);

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_MESSAGE_PACK_H_

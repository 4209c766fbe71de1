// Values of columns as text, and as JSON. Pure functions: thread-safe.
//
// docs/arrow.md describes both forms for readers. Functions that return false
// set *reason to what is wrong with the value; what they have appended until
// then is of no use.
#ifndef ASHLAR_TOOLS_ARROW_VALUE_TEXT_H_
#define ASHLAR_TOOLS_ARROW_VALUE_TEXT_H_

#include <cstddef>
#include <string>

#include "tools/arrow/column.h"

namespace ashlar::arrow {

// Returns the floating-point number. Requires: the meaning is kFloat.
double FloatOf(const Cell& cell);

// Appends the text of a value that is not null: of kText and kBytes their
// bytes, whatever these are; of one with parts its JSON.
bool AppendText(const Cell& cell, std::string* text, std::string* reason);

// Appends the value as JSON. Text must be UTF-8. Also returns false when *json
// has more than `most_bytes`, so that a list that refers to few values many
// times does not take all memory. No entry of a table has room for more than
// kMostJsonBytes.
inline constexpr size_t kMostJsonBytes = size_t{1} << 30;
bool AppendJson(const Cell& cell, std::string* json, std::string* reason,
                size_t most_bytes = kMostJsonBytes);

}  // namespace ashlar::arrow

#endif  // ASHLAR_TOOLS_ARROW_VALUE_TEXT_H_

// Makes the bytes of keys and values of the text of columns, as a ColumnPlan
// says.
//
// Pure functions: thread-safe. Those that return false set *reason to what is
// wrong with the text, and what was expected.
#ifndef ASHLAR_TOOLS_COLUMNS_COLUMN_BYTES_H_
#define ASHLAR_TOOLS_COLUMNS_COLUMN_BYTES_H_

#include <string>

#include "ashlar/util/slice.h"
#include "tools/columns/column_plan.h"

namespace ashlar::tool {

// The text of a column, or null, as --null says, which is no text.
struct Field {
  Slice text;
  bool is_null = false;
};

// Checks the text of a column that IsPlain.
bool CheckPlain(const PlannedColumn& column, const Field& field,
                std::string* reason);

// Appends the column's bytes to *bytes.
bool AppendField(const PlannedColumn& column, const Field& field,
                 std::string* bytes, std::string* reason);

// Appends the column's text as a string or as a number of JSON, or null.
bool AppendJsonField(const PlannedColumn& column, const Field& field,
                     std::string* json, std::string* reason);

// Appends the member `name` of a JSON object to *json, as AppendJsonField
// does. Requires: *json is an object, such as {}.
bool AppendMember(const PlannedColumn& column, const std::string& name,
                  const Field& field, std::string* json, std::string* reason);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_COLUMNS_COLUMN_BYTES_H_

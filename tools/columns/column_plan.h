// ColumnPlan: which columns of a row are its key and its value, and how they
// become bytes, as --key_column and --value_column say.
//
// A column is `<name>` or `<number>`, counted from 1, or in jsonl a member's
// name or a JSON pointer, such as /user/id. Words may follow, each after a ':'.
// First what the text is: text (UTF-8), bytes, hex or base64, or u32be, u64be,
// i32be, i64be, f32be or f64be for a number. Then what ParseColumnEncoding
// (table/entry/key_encoding.h) takes after its type.
#ifndef ASHLAR_TOOLS_COLUMNS_COLUMN_PLAN_H_
#define ASHLAR_TOOLS_COLUMNS_COLUMN_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/entry/key_encoding.h"

namespace ashlar::tool {

struct PlannedColumn {
  // How the input writes the bytes of a column of type kBytes.
  enum class Notation : uint8_t { kText, kBytes, kHex, kBase64 };

  bool IsNumber() const { return encoding.type != ColumnType::kBytes; }
  // Returns whether the key of this column alone is the text itself.
  bool IsPlain() const {
    return !IsNumber() && encoding.end == ColumnEnd::kKeyEnd &&
           (notation == Notation::kText || notation == Notation::kBytes);
  }

  std::string name;
  size_t number = 0;  // from 1; 0 if the column is named
  Notation notation = Notation::kText;
  ColumnEncoding encoding;
};

struct ColumnPlan {
  enum class Value : uint8_t {
    kColumn,  // the one column
    kJson,    // an object with the columns as members
    kOthers,  // an object with all columns that are not in the key
  };

  // Returns whether any column has a name, or must have one.
  bool NeedsNames() const;

  // Without flags, rows have two columns: the key and the value.
  bool is_default = false;
  std::vector<PlannedColumn> key;
  Value value = Value::kColumn;
  std::vector<PlannedColumn> values;  // empty with kOthers
};

// Sets *plan from the texts of the two flags, which may be empty. `notation` is
// that of columns without a word. Returns what is wrong, or an empty string.
std::string ParseColumnPlan(std::string_view key_columns,
                            std::string_view value_columns,
                            PlannedColumn::Notation notation, ColumnPlan* plan);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_COLUMNS_COLUMN_PLAN_H_

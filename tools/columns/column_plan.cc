#include "tools/columns/column_plan.h"

#include <algorithm>
#include <optional>

#include "tools/memory_limit.h"
#include "tools/text_numbers.h"

namespace ashlar::tool {
namespace {

using Notation = PlannedColumn::Notation;

constexpr struct {
  std::string_view word;
  Notation notation;
} kNotations[] = {{"text", Notation::kText},
                  {"bytes", Notation::kBytes},
                  {"hex", Notation::kHex},
                  {"base64", Notation::kBase64}};

// Replaces a word that only says how the text is written by `bytes`, which the
// library knows.
std::string TakeNotation(std::string_view words, PlannedColumn* column) {
  const std::string_view first = words.substr(0, words.find(':'));
  for (const auto& row : kNotations) {
    if (row.word != first) continue;
    column->notation = row.notation;
    return "bytes" + std::string(words.substr(first.size()));
  }
  return std::string(words);
}

// Returns whether each '~' of a JSON pointer begins ~0 or ~1.
bool IsGoodPointer(std::string_view name) {
  for (size_t at = name.find('~'); at != std::string_view::npos;
       at = name.find('~', at + 1)) {
    const std::string_view next = name.substr(at + 1, 1);
    if (next != "0" && next != "1") return false;
  }
  return true;
}

std::string ParseColumn(std::string_view text, Notation notation,
                        PlannedColumn* column) {
  const size_t colon = text.find(':');
  column->name = std::string(text.substr(0, colon));
  column->notation = notation;
  if (column->name.empty()) return "a column without a name";
  if (column->name.front() == '/' && !IsGoodPointer(column->name)) {
    return "'" + column->name + "': ~ must begin ~0 or ~1 in a JSON pointer";
  }
  if (const std::optional<uint64_t> number = ParseNumber(column->name)) {
    if (*number == 0) return "columns are counted from 1";
    column->number = static_cast<size_t>(*number);
  }
  if (colon == std::string_view::npos) return {};
  const std::string words = TakeNotation(text.substr(colon + 1), column);
  const auto encoding = ParseColumnEncoding(words);
  if (!IsOkOrThrow(encoding.status())) {
    std::string error = "column '" + column->name + "': ";
    error += encoding.status().message();
    // The library does not know how an input writes bytes.
    const auto type = ParseColumnEncoding(words.substr(0, words.find(':')));
    if (!type.ok()) error += ", or text, hex or base64";
    return error;
  }
  column->encoding = *encoding;
  return {};
}

std::string ParseList(std::string_view text, Notation notation,
                      std::vector<PlannedColumn>* columns) {
  while (true) {
    const size_t comma = text.find(',');
    PlannedColumn column;
    std::string error = ParseColumn(text.substr(0, comma), notation, &column);
    if (!error.empty()) return error;
    const bool is_known = std::any_of(
        columns->begin(), columns->end(),
        [&](const auto& other) { return other.name == column.name; });
    if (is_known) return "column '" + column.name + "' comes twice";
    columns->push_back(std::move(column));
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
}

PlannedColumn NumberedColumn(size_t number, Notation notation) {
  PlannedColumn column;
  column.name = std::to_string(number);
  column.number = number;
  column.notation = notation;
  return column;
}

// A member of a JSON object is a string or a number.
std::string CheckJsonColumn(const PlannedColumn& column) {
  const bool is_string =
      column.notation == Notation::kText || column.notation == Notation::kBytes;
  if ((column.IsNumber() || is_string) &&
      column.encoding.end == ColumnEnd::kKeyEnd &&
      !column.encoding.descending) {
    return {};
  }
  return "--value_column: several columns are one JSON object, in which '" +
         column.name + "' can be text or a number only";
}

}  // namespace

bool ColumnPlan::NeedsNames() const {
  if (is_default) return false;
  if (value != Value::kColumn) return true;
  const auto is_named = [](const PlannedColumn& column) {
    return column.number == 0;
  };
  return std::any_of(key.begin(), key.end(), is_named) ||
         std::any_of(values.begin(), values.end(), is_named);
}

std::string ParseColumnPlan(std::string_view key_columns,
                            std::string_view value_columns, Notation notation,
                            ColumnPlan* plan) {
  if (key_columns.empty()) {
    if (!value_columns.empty()) return "--value_column needs --key_column";
    plan->is_default = true;
    plan->key = {NumberedColumn(1, notation)};
    plan->values = {NumberedColumn(2, notation)};
    return {};
  }
  std::string error = ParseList(key_columns, notation, &plan->key);
  if (!error.empty()) return "--key_column: " + error;
  // A reader must find where each column ends.
  for (size_t i = 0; i + 1 < plan->key.size(); ++i) {
    ColumnEncoding& encoding = plan->key[i].encoding;
    if (encoding.type == ColumnType::kBytes &&
        encoding.end == ColumnEnd::kKeyEnd) {
      encoding.end = ColumnEnd::kTerminator;
    }
  }
  if (value_columns.empty()) {
    plan->value = ColumnPlan::Value::kOthers;
    return {};
  }
  error = ParseList(value_columns, notation, &plan->values);
  if (!error.empty()) return "--value_column: " + error;
  if (plan->values.size() == 1) return {};
  plan->value = ColumnPlan::Value::kJson;
  for (const PlannedColumn& column : plan->values) {
    error = CheckJsonColumn(column);
    if (!error.empty()) return error;
  }
  return {};
}

}  // namespace ashlar::tool

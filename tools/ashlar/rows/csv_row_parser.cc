#include "tools/ashlar/rows/csv_row_parser.h"

#include <algorithm>
#include <cstring>

#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

CsvRowParser::CsvRowParser()
    : has_header_(!FLAGS_key_column.empty() || !FLAGS_value_column.empty()) {}

RowParser::Outcome CsvRowParser::Parse(char* line, size_t size, Row* row,
                                       std::string* reason) {
  if (size > 0 && line[size - 1] == '\r') --size;
  if (!Split(line, size)) {
    *reason = "a quoted field is not closed, or a quote is inside a field";
    return Outcome::kMalformed;
  }
  if (header_due_) {
    header_due_ = false;
    return ReadHeader(reason) ? Outcome::kSkip : Outcome::kMalformed;
  }
  if (key_column_ >= fields_.size()) {
    *reason = "the row has no key column";
    return Outcome::kMalformed;
  }
  row->key = fields_[key_column_];
  row->value =
      value_column_ < fields_.size() ? fields_[value_column_] : Slice();
  return Outcome::kRow;
}

bool CsvRowParser::Split(char* line, size_t size) {
  fields_.clear();
  char* from = line;
  char* const end = line + size;
  while (true) {
    char* const start = from;
    char* to = start;
    if (from < end && *from == '"') {
      ++from;
      // Two quotes mean one quote; a single one ends the field.
      while (true) {
        if (from == end) return false;
        if (*from == '"') {
          if (from + 1 == end || from[1] != '"') break;
          ++from;
        }
        *to++ = *from++;
      }
      ++from;
      if (from < end && *from != ',') return false;
    } else {
      to = std::find(from, end, ',');
      if (std::memchr(from, '"', static_cast<size_t>(to - from)) != nullptr) {
        return false;
      }
      from = to;
    }
    fields_.emplace_back(start, static_cast<size_t>(to - start));
    if (from == end) return true;
    ++from;  // the comma
  }
}

bool CsvRowParser::ReadHeader(std::string* reason) {
  const struct {
    const std::string& name;
    size_t* column;
  } wanted[] = {{FLAGS_key_column, &key_column_},
                {FLAGS_value_column, &value_column_}};
  for (const auto& [name, column] : wanted) {
    if (name.empty()) continue;
    const auto found = std::find(fields_.begin(), fields_.end(), Slice(name));
    if (found == fields_.end()) {
      *reason = "no column '" + name + "' in the header";
      return false;
    }
    *column = static_cast<size_t>(found - fields_.begin());
  }
  return true;
}

}  // namespace ashlar::tool

#include "tools/ashlar/rows/csv_row_parser.h"

#include <cstring>

#include "tools/ashlar/rows/byte_mask.h"

namespace ashlar::tool {

RowParser::Outcome CsvRowParser::Parse(char* line, size_t size, Row* row,
                                       RowBytes* room, std::string* reason) {
  if (size > 0 && line[size - 1] == '\r') --size;
  const char* bad = line;
  const std::string_view fault = Split(line, size, &bad);
  if (fault.empty()) return columns_.Take(fields_, row, room, reason);
  *reason = columns_.Describe(fields_.size()) + ", byte " +
            std::to_string(bad - line + 1) + " of the row: ";
  *reason += fault;
  return columns_.TakeMalformed();
}

std::string_view CsvRowParser::Split(char* line, size_t size,
                                     const char** bad) {
  fields_.clear();
  char* from = line;
  char* const end = line + size;
  while (true) {
    const std::string_view fault = from < end && *from == '"'
                                       ? TakeQuoted(&from, end, bad)
                                       : TakePlain(&from, end, bad);
    if (!fault.empty() || from == end) return fault;
    ++from;  // the delimiter
  }
}

// Takes the quotes off: two quotes mean one, and a single one ends the field.
// A field without doubled quotes stays where it is, others are closed up.
std::string_view CsvRowParser::TakeQuoted(char** from, char* end,
                                          const char** bad) {
  char* const start = *from + 1;
  char* to = start;
  char* next = start;
  while (true) {
    char* const quote = FindAnyOf(next, end, '"');
    if (quote == end) {
      *bad = *from;
      return "this quote is not closed before the end of the input";
    }
    const bool is_doubled = quote + 1 < end && quote[1] == '"';
    const auto taken = static_cast<size_t>(quote - next) + is_doubled;
    if (to != next) std::memmove(to, next, taken);
    to += taken;
    next = quote + 1;
    if (!is_doubled) break;
    ++next;
  }
  if (next < end && *next != format_->delimiter) {
    *bad = next;
    return "after a closing quote, expected the delimiter or the end of the "
           "row; a quote in a quoted column is doubled";
  }
  fields_.push_back({Slice(start, static_cast<size_t>(to - start)), false});
  *from = next;
  return {};
}

std::string_view CsvRowParser::TakePlain(char** from, char* end,
                                         const char** bad) {
  char* const start = *from;
  char* const next = FindAnyOf(start, end, format_->delimiter, '"', '\r');
  if (next < end && *next != format_->delimiter) {
    *bad = next;
    return *next == '"' ? "a quote in a column that does not begin with one; "
                          "expected the whole column in quotes, and quotes in "
                          "it doubled"
                        : "a CR without LF; expected the whole column in "
                          "quotes, or CR LF as the end of the row";
  }
  const Slice text(start, static_cast<size_t>(next - start));
  fields_.push_back({text, format_->null && text == Slice(*format_->null)});
  *from = next;
  return {};
}

}  // namespace ashlar::tool

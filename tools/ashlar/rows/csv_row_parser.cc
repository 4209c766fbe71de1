#include "tools/ashlar/rows/csv_row_parser.h"

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
  const char* const end = line + size;
  while (true) {
    const std::string_view fault = from < end && *from == '"'
                                       ? TakeQuoted(&from, end, bad)
                                       : TakePlain(&from, end, bad);
    if (!fault.empty() || from == end) return fault;
    ++from;  // the delimiter
  }
}

// Takes the quotes off in place: two quotes mean one, and a single one ends the
// field.
std::string_view CsvRowParser::TakeQuoted(char** from, const char* end,
                                          const char** bad) {
  char* const start = *from;
  char* next = start + 1;
  char* to = start;
  while (true) {
    if (next == end) {
      *bad = start;
      return "this quote is not closed before the end of the input";
    }
    if (*next == '"') {
      if (next + 1 == end || next[1] != '"') break;
      ++next;
    }
    *to++ = *next++;
  }
  ++next;
  if (next < end && *next != format_->delimiter) {
    *bad = next;
    return "after a closing quote, expected the delimiter or the end of the "
           "row; a quote in a quoted column is doubled";
  }
  fields_.push_back({Slice(start, static_cast<size_t>(to - start)), false});
  *from = next;
  return {};
}

std::string_view CsvRowParser::TakePlain(char** from, const char* end,
                                         const char** bad) {
  char* const start = *from;
  char* next = start;
  for (; next < end && *next != format_->delimiter; ++next) {
    if (*next != '"' && *next != '\r') continue;
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

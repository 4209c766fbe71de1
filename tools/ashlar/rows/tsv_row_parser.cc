#include "tools/ashlar/rows/tsv_row_parser.h"

#include <optional>

#include "tools/ashlar/rows/byte_mask.h"
#include "tools/escaped_text.h"

namespace ashlar::tool {

bool TakeOffCr(const RowFormat& format, const char* line, size_t* size,
               std::string* reason) {
  if (*size == 0 || line[*size - 1] != '\r') return true;
  if (format.crlf) {
    --*size;
    return true;
  }
  *reason = "the line ends in CR LF; --crlf takes both for the end of a line";
  if (format.Is("tsv")) *reason += ", and \\r stands for a CR in a column";
  return false;
}

RowParser::Outcome TsvRowParser::Parse(char* line, size_t size, Row* row,
                                       RowBytes* room, std::string* reason) {
  if (!TakeOffCr(*format_, line, &size, reason))
    return columns_.TakeMalformed();
  fields_.clear();
  char* const end = line + size;
  for (char* from = line;;) {
    // Most columns have no escape.
    char* const mark = FindAnyOf(from, end, '\t', '\\');
    const bool has_escape = mark < end && *mark == '\\';
    char* const stop = has_escape ? FindAnyOf(mark, end, '\t') : mark;
    const auto written = static_cast<size_t>(stop - from);
    size_t length = written;
    const bool is_null =
        format_->null && Slice(from, written) == Slice(*format_->null);
    const std::optional<size_t> bad =
        is_null || !has_escape ? std::nullopt : UnescapeInPlace(from, &length);
    if (bad) {
      *reason = columns_.Describe(fields_.size()) + ", byte " +
                std::to_string(*bad + 1) + " of it: ";
      *reason += kExpectedEscape;
      return columns_.TakeMalformed();
    }
    fields_.push_back({Slice(from, length), is_null});
    if (stop == end) break;
    from = stop + 1;  // after the TAB
  }
  if (fields_.size() == 1 && format_->columns.is_default) {
    *reason = size == 0 ? "the line is empty" : "no TAB after the key";
    *reason +=
        "; expected key TAB value, with nothing after the TAB if the value is "
        "empty";
    return columns_.TakeMalformed();
  }
  return columns_.Take(fields_, row, room, reason);
}

}  // namespace ashlar::tool

// RowFormat: what the flags say about the rows of `build`.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_FORMAT_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ashlar/flags/flags.h"
#include "tools/columns/column_plan.h"

namespace ashlar::tool {

struct RowFormat {
  enum class Header : uint8_t {
    kNone,  // the first line of an input is a row
    kLine,  // the first line of an input has the names of the columns
    // No flag says: the first line is a row, unless it looks like a header. In
    // that case, the run ends with an error.
    kUnannounced,
  };

  bool Is(std::string_view format) const { return name == format; }
  // Whether rows are not lines, but come from files of columns.
  bool IsArrow() const { return Is("arrow") || Is("parquet"); }

  std::string name;  // a value of --input_format
  Header header = Header::kNone;
  bool crlf = false;     // tsv and hex: lines may end in CR LF
  ColumnPlan columns;    // not of hex
  char delimiter = ',';  // csv
  // csv and tsv: a column with this text, and without quotes, is null.
  std::optional<std::string> null;
};

// Sets *format from the flags and, if they do not say the format, from what the
// inputs are (RecognizeColumnFiles). Returns what is wrong with them, or an
// empty string.
std::string RowFormatFromFlags(const CommandLine& line,
                               const std::vector<std::string>& inputs,
                               RowFormat* format);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_FORMAT_H_

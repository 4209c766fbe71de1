// RowParser: makes a Row of one line, for each --input_format.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_PARSER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tools/ashlar/rows/row.h"

namespace ashlar::tool {

class RowParser {
 public:
  enum class Outcome : uint8_t {
    kRow,
    kSkip,  // a header or the like
    kMalformed,
  };

  RowParser() = default;
  RowParser(const RowParser&) = delete;
  RowParser& operator=(const RowParser&) = delete;
  virtual ~RowParser();

  // Another input begins.
  virtual void BeginInput() {}
  // Changes the line in place; the row's slices live as long as the line, or
  // until the next call. For kMalformed *reason says why.
  virtual Outcome Parse(char* line, size_t size, Row* row,
                        std::string* reason) = 0;
};

// `format` is one of --input_format's.
std::unique_ptr<RowParser> NewRowParser(std::string_view format);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_PARSER_H_

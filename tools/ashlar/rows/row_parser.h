// RowParser: parses a line into a Row. There is one for each --input_format.
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

  // To be called at the start of each input.
  virtual void BeginInput() {}
  // Parses the line, and may change it in place. The row's slices are valid as
  // long as the line, or until the next call. If it returns kMalformed, *reason
  // says why.
  virtual Outcome Parse(char* line, size_t size, Row* row,
                        std::string* reason) = 0;
};

// `format` is a value of --input_format.
std::unique_ptr<RowParser> NewRowParser(std::string_view format);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_PARSER_H_

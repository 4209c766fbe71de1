// HexRowParser: reads rows of hexadecimal text, as `scan
// --output_format=canonical` writes them.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_HEX_ROW_PARSER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_HEX_ROW_PARSER_H_

#include <memory>
#include <string>

#include "tools/ashlar/rows/row_format.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class HexRowParser : public RowParser {
 public:
  // `format` must outlive this.
  explicit HexRowParser(const RowFormat* format) : format_(format) {}

  Outcome Parse(char* line, size_t size, Row* row, RowBytes* room,
                std::string* reason) override;
  std::unique_ptr<RowParser> Copy() const override {
    return std::make_unique<HexRowParser>(*this);
  }

 private:
  const RowFormat* const format_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_HEX_ROW_PARSER_H_

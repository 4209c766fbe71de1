// TextRowInput: the rows of one input of lines.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_TEXT_ROW_INPUT_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_TEXT_ROW_INPUT_H_

#include <string>

#include "tools/ashlar/rows/bad_rows.h"
#include "tools/ashlar/rows/line_reader.h"
#include "tools/ashlar/rows/row_format.h"
#include "tools/ashlar/rows/row_input.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class TextRowInput : public RowInput {
 public:
  // What this refers to must outlive it. Rows keep pointers to the name.
  TextRowInput(const std::string* name, const RowFormat& format,
               RowParser* parser, BadRows* bad_rows);

  Status Open(FaultText* error_line) override;
  Status Next(FaultText* error_line) override;
  bool skipped_byte_order_mark() const override {
    return reader_.skipped_byte_order_mark();
  }
  uint64_t position() const override { return reader_.bytes().position(); }
  uint64_t size() const override { return reader_.bytes().file_size(); }

 private:
  Status TakeLine(char* line, size_t size, FaultText* error_line);
  Status End(FaultText* error_line);

  const std::string* const name_;
  RowParser* const parser_;
  BadRows* const bad_rows_;
  LineReader reader_;
  std::string line_copy_;  // of the line, before it was parsed
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_TEXT_ROW_INPUT_H_

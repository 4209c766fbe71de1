// RowInput: the rows of one input of `build`, one after the other.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_INPUT_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_INPUT_H_

#include <string>

#include "ashlar/util/status.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/rows/bad_rows.h"
#include "tools/ashlar/rows/line_reader.h"
#include "tools/ashlar/rows/row.h"
#include "tools/ashlar/rows/row_format.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class RowInput {
 public:
  // What this refers to must outlive it. Rows keep pointers to the name.
  RowInput(const std::string* name, const RowFormat& format, RowParser* parser,
           BadRows* bad_rows);

  // After an error of any of these, *error_line has the line to print for it.
  Status Open(FaultText* error_line);
  // Moves to the next row. Returns Aborted if interrupted. A malformed row is
  // an error if there are more of them than the BadRows allow.
  Status Next(FaultText* error_line);
  // The row, until the next call of Next; null at the end of the input.
  const Row* row() const { return has_row_ ? &row_ : nullptr; }

  // Whether the input began with one. Known after the first Next.
  bool skipped_byte_order_mark() const {
    return reader_.skipped_byte_order_mark();
  }
  const InputBytes& bytes() const { return reader_.bytes(); }

 private:
  Status TakeLine(char* line, size_t size, FaultText* error_line);
  Status End(FaultText* error_line);

  const std::string* const name_;
  RowParser* const parser_;
  BadRows* const bad_rows_;
  LineReader reader_;
  Row row_;
  bool has_row_ = false;
  std::string line_copy_;  // of the line, before it was parsed
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_INPUT_H_

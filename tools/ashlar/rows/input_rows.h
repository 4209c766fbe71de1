// InputRows: reads the rows of all inputs of `build`, and records the place of
// each.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_ROWS_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_ROWS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/rows/bad_rows.h"
#include "tools/ashlar/rows/line_reader.h"
#include "tools/ashlar/rows/row.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class InputRows {
 public:
  // If `names` is empty, reads standard input. Passes malformed rows to
  // `bad_rows`, which must outlive this.
  InputRows(const std::vector<std::string>& names, RowFormat format,
            BadRows* bad_rows);

  // Calls `take` with each row in order, until it returns an error. The row is
  // valid until `take` returns. Returns Aborted if interrupted. After an error
  // in an input, *error_line has the line to print for it. A malformed row is
  // an error if there are more of them than `bad_rows` allows.
  using Take = std::function<Status(const Row&)>;
  Status ForEach(const Take& take, FaultText* error_line);

  // Returns the number of rows until now, without malformed ones.
  uint64_t count() const { return count_; }

  // Translate between a row's place and a number, so that a place takes one
  // word. Numbers increase through all lines of all inputs. NumberOf is for the
  // last row that was passed to `take`.
  uint64_t NumberOf(const RowPlace& place);
  RowPlace PlaceOf(uint64_t number) const;

 private:
  Status ReadInput(const std::string& name, const Take& take,
                   FaultText* error_line);
  Status ReadLines(LineReader* reader, const std::string& name,
                   const Take& take, FaultText* error_line);
  Status TakeLine(char* line, size_t size, const RowPlace& place,
                  const Take& take, FaultText* error_line);
  void ReportByteOrderMark(const std::string& name);

  // Rows keep pointers to the names.
  const std::vector<std::string> names_;
  const RowFormat format_;
  BadRows* const bad_rows_;
  const std::unique_ptr<RowParser> parser_;
  bool reported_byte_order_mark_ = false;
  uint64_t count_ = 0;
  std::string line_copy_;         // of the line, before it was parsed
  std::vector<uint64_t> before_;  // per input: lines in the inputs before it
  uint64_t last_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_ROWS_H_

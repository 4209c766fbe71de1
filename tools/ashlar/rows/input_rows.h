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
#include "tools/ashlar/rows/row.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class InputRows {
 public:
  // If `names` is empty, reads standard input.
  explicit InputRows(const std::vector<std::string>& names);

  // Calls `take` with each row in order, until it returns an error. The row is
  // valid until `take` returns. Returns Aborted if interrupted. After an error
  // in an input, *error_line has the line to print for it.
  using Take = std::function<Status(const Row&)>;
  Status ForEach(const Take& take, FaultText* error_line);

  // Translate between a row's place and a number, so that a place takes one
  // word. Numbers increase through all lines of all inputs. NumberOf is for the
  // last row that was passed to `take`.
  uint64_t NumberOf(const RowPlace& place);
  RowPlace PlaceOf(uint64_t number) const;

 private:
  Status ReadInput(const std::string& name, const Take& take,
                   FaultText* error_line);

  // Rows keep pointers to the names.
  const std::vector<std::string> names_;
  std::unique_ptr<RowParser> parser_;
  std::vector<uint64_t> before_;  // per input: lines in the inputs before it
  uint64_t last_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_ROWS_H_

// InputRows: the rows of all inputs of `build`, and where each stands.
//
// One thread at a time.
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
  // No names: standard input.
  explicit InputRows(const std::vector<std::string>& names);

  // Calls take with each row, in order, until it is not ok; the row lives until
  // take is done. Aborted when interrupted; of other errors of its own it
  // writes the line that tells them.
  using Take = std::function<Status(const Row&)>;
  Status ForEach(const Take& take, FaultText* error_line);

  // All lines of all inputs have numbers that rise, so that a place is one
  // word. Of the row that was given last.
  uint64_t NumberOf(const RowPlace& place);
  RowPlace PlaceOf(uint64_t number) const;

 private:
  Status ReadInput(const std::string& name, const Take& take,
                   FaultText* error_line);

  // Rows keep pointers to the names.
  const std::vector<std::string> names_;
  std::unique_ptr<RowParser> parser_;
  std::vector<uint64_t> before_;  // each input: the lines of those before
  uint64_t last_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_ROWS_H_

// InputRows: reads the rows of all inputs of `build`, one input after the other
// or merged, and records the place of each.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_ROWS_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_ROWS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/workers.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/rows/bad_rows.h"
#include "tools/ashlar/rows/row_format.h"
#include "tools/ashlar/rows/row_input.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

// Returns the names, with each folder replaced by the files in it, sorted by
// name, but for those whose names begin with '.' or '_'. Returns NotFound for a
// folder without any.
Result<std::vector<std::string>> ExpandRowInputs(
    const std::vector<std::string>& names);

class InputRows {
 public:
  // If `names` is empty, reads standard input. Passes malformed rows to
  // `bad_rows`. `workers` help to parse inputs that are read one after the
  // other. Both must outlive this. If `merge_by` is not null, each input is in
  // this order, and so are the rows of all: of equal keys, those of an earlier
  // input first.
  InputRows(const std::vector<std::string>& names, RowFormat format,
            const Comparator* merge_by, BadRows* bad_rows, Workers* workers);

  // Calls `take` with each row in order, until it returns an error. The row is
  // valid until `take` returns. Returns Aborted if interrupted. After an error
  // in an input, *error_line has the line to print for it. A malformed row is
  // an error if there are more of them than `bad_rows` allows.
  using Take = std::function<Status(const Row&)>;
  Status ForEach(const Take& take, FaultText* error_line);

  // Returns the size of all inputs that are files, as they are: compressed, if
  // they are compressed.
  uint64_t BytesOfFiles() const;

  // Returns about how many bytes of these were read. Not for inputs that are
  // merged.
  uint64_t BytesRead() const { return bytes_read_; }

  // Returns the number of rows until now, without malformed ones.
  uint64_t count() const { return count_; }

  // Translate between a row's place and a number, so that a place takes one
  // word. Numbers increase through all lines of all inputs. NumberOf is for the
  // last row that was passed to `take`. Not for inputs that are merged.
  uint64_t NumberOf(const RowPlace& place);
  RowPlace PlaceOf(uint64_t number) const;

 private:
  Status ReadOneByOne(const Take& take, FaultText* error_line);
  Status Merge(const Take& take, FaultText* error_line);
  Status FindFirst(size_t i, RowInput* input, FaultText* error_line);

  // Rows keep pointers to the names.
  const std::vector<std::string> names_;
  const RowFormat format_;
  const Comparator* const merge_by_;
  BadRows* const bad_rows_;
  Workers* const workers_;
  bool warned_of_byte_order_mark_ = false;
  uint64_t count_ = 0;
  uint64_t bytes_read_ = 0;
  std::vector<uint64_t> before_;  // per input: lines in the inputs before it
  uint64_t last_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_INPUT_ROWS_H_

// RowInput: the rows of one input of `build`, one after the other.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_INPUT_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_INPUT_H_

#include <cstdint>

#include "ashlar/util/status.h"
#include "tools/ashlar/print/output.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

class RowInput {
 public:
  RowInput() = default;
  RowInput(const RowInput&) = delete;
  RowInput& operator=(const RowInput&) = delete;
  virtual ~RowInput() = default;

  // After an error of any of these, *error_line has the line to print for it.
  virtual Status Open(FaultText* error_line) = 0;
  // Moves to the next row. Returns Aborted if interrupted. A malformed row is
  // an error if there are more of them than the BadRows allow.
  virtual Status Next(FaultText* error_line) = 0;

  // The row, until the next call of Next; null at the end of the input.
  const Row* row() const { return row_; }

  // Whether the input began with one. Known after the first Next.
  virtual bool skipped_byte_order_mark() const { return false; }
  // How many bytes of the input were read, which may be more than those of the
  // rows that were shown, and how many it has, or 0 if that is not known.
  virtual uint64_t position() const = 0;
  virtual uint64_t size() const = 0;

 protected:
  const Row* row_ = nullptr;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_INPUT_H_

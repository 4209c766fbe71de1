// RowRange: keeps the rows of `build` that are in the range of --from and --to,
// so that several machines can each build a part of one input.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_RANGE_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_RANGE_H_

#include <cstdint>
#include <string>

#include "ashlar/util/comparator.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

class RowRange {
 public:
  // Reads the flags. Returns what is wrong with them, or an empty string.
  std::string Parse(const CommandLine& line);

  // Returns what is wrong with the range in this order, or an empty string.
  std::string Check(const Comparator& comparator) const;

  // Returns the row; or null, and counts it, if it is outside of the range. A
  // range deletion is cut at the ends of the range; what is returned then lives
  // until the next call. Keys that are too short for timestamps are inside: the
  // output refuses them.
  const Row* Narrow(const Row& row, const Comparator& comparator);
  uint64_t rows_outside() const { return rows_outside_; }

 private:
  const Row* Cut(const Row& row, const Comparator& comparator);

  KeyRange range_;
  uint64_t rows_outside_ = 0;
  Row cut_;
  std::string begin_;
  std::string end_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_RANGE_H_

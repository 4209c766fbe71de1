// RangePieces: holds range deletions, and cuts them at the boundaries of the
// tables of a set.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_RANGE_PIECES_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_RANGE_PIECES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/rows/row.h"

namespace ashlar::tool {

class RangePieces {
 public:
  // The comparator must outlive this.
  explicit RangePieces(const Comparator* comparator)
      : comparator_(comparator) {}

  bool empty() const { return ranges_.empty(); }
  // Copies a range deletion. To be called before the first Take. Returns
  // InvalidArgument unless its begin is smaller than its end.
  Status Add(const Row& row);

  // Calls `take` with the parts of range deletions that are before `end` and
  // were not taken yet, ordered by their begins. A part is a row of type
  // kTypeRangeDeletion, which is valid until `take` returns. `end` must be
  // larger in each call than in the last one. If it is null, all that is left
  // is taken.
  Status Take(const Slice* end, const std::function<Status(const Row&)>& take);

 private:
  struct Range {
    std::string begin;
    std::string end;
    SequenceNumber sequence;
  };

  int Compare(const Slice& a, const Slice& b) const;
  void Cut(const Slice& at, std::string* key) const;
  void Sort();

  const Comparator* const comparator_;
  std::vector<Range> ranges_;
  bool sorted_ = false;
  size_t next_ = 0;            // the first of which no part was taken
  std::vector<size_t> begun_;  // those of which only a part was taken
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_RANGE_PIECES_H_

// RangePieces: range deletions, cut where the tables of a set meet.
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
  // Copies it; before the first Take. InvalidArgument unless its begin lies
  // before its end.
  Status Add(const Row& row);

  // What lies before `end` and has not been taken, as rows of the type, which
  // live until take is done. Ends rise from call to call; null: all that is
  // left. In the order of their begins.
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
  size_t next_ = 0;            // the first that nothing was taken of
  std::vector<size_t> begun_;  // something was taken of, not all
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_RANGE_PIECES_H_

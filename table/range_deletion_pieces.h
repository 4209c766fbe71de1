// RangeDeletionPieces: holds range deletions, and cuts them at the borders of
// tables that are written one after the other.
//
// For a writer of several tables that share no user keys: all range deletions
// are added first. Before a table ends, Take gives those parts of them that are
// before the first key of the next table. SortedTableWriter uses it for sets of
// tables. Nothing is left out or joined: a compaction uses
// RangeDeletionAggregator (table/range_deletion_aggregator.h), which drops what
// nobody needs. One thread at a time.
#ifndef ASHLAR_TABLE_RANGE_DELETION_PIECES_H_
#define ASHLAR_TABLE_RANGE_DELETION_PIECES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/range_deletion.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/export.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

class ASHLAR_EXPORT RangeDeletionPieces {
 public:
  // The comparator must outlive this.
  explicit RangeDeletionPieces(const Comparator* comparator)
      : comparator_(comparator) {}

  // Returns whether no range deletion was added.
  bool empty() const { return ranges_.empty(); }

  // Copies a range deletion. To be called before the first Take. Returns
  // InvalidArgument, and adds nothing, unless its begin is smaller than its
  // end, and both have a timestamp where the comparator has timestamps. Returns
  // MemoryLimit if memory runs out.
  Status Add(const RangeDeletion& deletion);

  // Calls `take` with the parts of range deletions that are before `end`, a
  // user key, and were not taken yet, ordered by their begins. Slices live
  // until `take` returns. `end` must be larger in each call than in the last
  // one, and have a timestamp if user keys have. If it is null, all that is
  // left is taken. Parts keep the timestamps of their range deletion. Returns
  // the first error of `take`, or MemoryLimit; nothing can be taken after that.
  Status Take(const Slice* end,
              const std::function<Status(const RangeDeletion& part)>& take);

 private:
  struct Range {
    std::string begin;
    std::string end;
    SequenceNumber sequence;
  };

  int Compare(const Slice& a, const Slice& b) const;
  void Cut(const Slice& at, std::string* key) const;
  void Sort();
  Status TakePart(Range* range, const Slice* end, bool* goes_on,
                  const std::function<Status(const RangeDeletion&)>& take);

  const Comparator* const comparator_;
  std::vector<Range> ranges_;
  bool sorted_ = false;
  size_t next_ = 0;            // the first of which no part was taken
  std::vector<size_t> begun_;  // those of which only a part was taken
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_RANGE_DELETION_PIECES_H_

// Range deletions: "everything from here to there, older than this, is gone".
//
// TableReader gives out those of its table, as stored and cut into fragments.
// Plain values; the slices live as long as what gave them out.
#ifndef ASHLAR_TABLE_RANGE_DELETION_H_
#define ASHLAR_TABLE_RANGE_DELETION_H_

#include <functional>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// Deletes the entries with begin <= user key < end, in the order of the
// table's comparator, whose sequence number is smaller. Where end is not
// behind begin, none. Where keys have timestamps, begin and end are shown with
// one, that of begin being the deletion's; which keys lie between them goes by
// keys without. Who reads at an older timestamp does not see the deletion.
struct RangeDeletion {
  Slice begin;
  Slice end;
  SequenceNumber sequence = 0;
};

// Range deletions may overlap; fragments do not. All keys from begin to end,
// both without timestamps, have the same range deletions above them.
struct RangeDeletionFragment {
  Slice begin;
  Slice end;
  std::vector<SequenceNumber> sequences;  // newest first
  // One for each of them. Each pair once; empty where keys have none.
  std::vector<Slice> timestamps;
};

// False ends the walk.
using RangeDeletionFragmentCallback =
    std::function<bool(const RangeDeletionFragment& fragment)>;

}  // namespace ashlar

#endif  // ASHLAR_TABLE_RANGE_DELETION_H_

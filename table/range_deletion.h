// Range deletions of a table, as values. RocksDB also calls them range
// tombstones.
//
// TableReader returns those of its table in two forms: as they are stored
// (TableReader::RangeDeletions), and cut into fragments
// (TableReader::VisitRangeDeletionFragments). Merging and inspecting programs
// use them; Get and iterators apply them without help.
//
// Plain values: thread-safe to read. Their slices live as long as the reader.
// They are written with TableBuilder::Add or ExternalFileWriter::DeleteRange.
#ifndef ASHLAR_TABLE_RANGE_DELETION_H_
#define ASHLAR_TABLE_RANGE_DELETION_H_

#include <functional>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"

namespace ashlar {

// Deletes the entries with begin <= user key < end, in the order of the table's
// comparator, whose sequence number is smaller than `sequence`. Deletes nothing
// if end <= begin.
//
// Where keys have timestamps, `begin` and `end` end in one. Only that of
// `begin` counts: it is the deletion's, and a read at an older timestamp does
// not see the deletion. Whether a key lies between them is decided without
// timestamps.
struct RangeDeletion {
  Slice begin;
  Slice end;
  SequenceNumber sequence = 0;
};

// A range of keys, begin <= user key < end, over each of which the same range
// deletions are. Range deletions may overlap; fragments do not. `begin` and
// `end` have no timestamps.
struct RangeDeletionFragment {
  Slice begin;
  Slice end;
  // The sequence numbers of the range deletions over this range: newest first.
  std::vector<SequenceNumber> sequences;
  // Where keys have timestamps: timestamps[i] belongs to sequences[i], and each
  // pair occurs once. Else empty, and each sequence number occurs once.
  std::vector<Slice> timestamps;
};

// Called for one fragment after the other. The fragment itself lives until the
// call returns. Returns false to end the walk.
using RangeDeletionFragmentCallback =
    std::function<bool(const RangeDeletionFragment& fragment)>;

}  // namespace ashlar

#endif  // ASHLAR_TABLE_RANGE_DELETION_H_

// RangeCover: says which entries range deletions hide from one read, over all
// inputs.
//
// Data flow. Each input has its range deletions as fragments: a table those of
// its reader, a memtable its own. The first question about a key asks every
// input for the fragment there, and for the newest deletion that the read sees.
// The newest of all is the answer for a window of keys: where all these
// fragments overlap. A further key costs two comparisons as long as it is
// inside. So nothing is built when an iterator is made, whatever the tables
// have, and keys may come in any order.
//
// An input may have bounds, as internal keys. Its range deletions count from
// the smallest on, and up to the largest; not for older versions of the user
// key of the largest, unless that has sequence number 0. Keys of a bound are
// asked one by one. (RangeDeletionAggregator cuts in the same way.)
//
// With timestamps, only deletions that are not newer than the read's timestamp
// count. One thread at a time.
#ifndef ASHLAR_TABLE_USER_RANGE_COVER_H_
#define ASHLAR_TABLE_USER_RANGE_COVER_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/range_deletion.h"
#include "ashlar/table/read_options.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/key_order.h"
#include "table/meta/range_del_fragments.h"

namespace ashlar::internal {

class RangeCover {
 public:
  RangeCover(const KeyOrder& order, const ReadOptions& options);

  // Adds an input. The fragments must outlive this. Empty bounds: none.
  void Add(const RangeDeletionFragments* fragments, const Slice& smallest,
           const Slice& largest);
  // Adds those of a memtable, whose keys must outlive this.
  Status Add(const std::vector<RangeDeletion>& deletions);

  // Returns whether a range deletion hides this entry.
  bool Hides(const Slice& internal_key) {
    if (inputs_.empty()) return false;
    const Slice plain = Plain(internal_key);
    if (!Covers(plain)) Enter(plain, internal_key);
    return SequenceOf(internal_key) < newest_;
  }

 private:
  struct Input {
    const RangeDeletionFragments* fragments;
    std::string smallest;
    // Range deletions count in front of this one. Both empty: no bounds.
    std::string end;
  };
  // A place between keys: in front of all versions of a key, or after them.
  struct Edge {
    Slice key;
    bool after = false;
    bool any = false;
  };

  Slice Plain(const Slice& internal_key) const {
    return WithoutTimestamp(UserKeyOf(internal_key), order_.timestamp_size());
  }
  bool IsBefore(const Slice& plain, const Edge& edge) const {
    const int by_key = plain_.CompareUserKeys(plain, edge.key);
    return by_key < 0 || (by_key == 0 && edge.after);
  }
  bool Covers(const Slice& plain) const {
    return has_window_ && !(begin_.any && IsBefore(plain, begin_)) &&
           (!end_.any || IsBefore(plain, end_));
  }
  bool IsLess(const Edge& a, const Edge& b) const {
    const int by_key = plain_.CompareUserKeys(a.key, b.key);
    return by_key < 0 || (by_key == 0 && !a.after && b.after);
  }
  void Enter(const Slice& plain, const Slice& internal_key);
  void EnterFragment(const Input& input, const Slice& plain);
  bool EnterBounds(const Input& input, const Slice& plain,
                   const Slice& internal_key);
  void BeginAt(const Edge& edge) {
    if (!begin_.any || IsLess(begin_, edge)) begin_ = edge;
  }
  void EndAt(const Edge& edge) {
    if (!end_.any || IsLess(edge, end_)) end_ = edge;
  }

  const KeyOrder order_;
  const KeyOrder plain_;
  const SequenceNumber snapshot_;
  const std::string timestamp_;
  std::vector<std::unique_ptr<const RangeDeletionFragments>> owned_;
  std::vector<Input> inputs_;
  // The window, and the newest deletion that is over it.
  bool has_window_ = false;
  Edge begin_;
  Edge end_;
  SequenceNumber newest_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_USER_RANGE_COVER_H_

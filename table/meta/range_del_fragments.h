// RangeDeletionFragments: answers which range deletions of a table are over a
// key.
//
// Range deletions may overlap and come in any order. The sorted set of all
// their ends cuts the keys into fragments. Within a fragment every key has the
// same deletions over it. To list these for each fragment would take quadratic
// space. So the fragments are the leaves of a binary tree. Each deletion is
// stored at the few nodes that together make up its range (at most two per
// level). The deletions over a key are those at the nodes from its leaf to the
// root:
//
//   a..c at 9, b..d at 5, b..c at 2:        +----- a..d: - -----+
//                                           |                   |
//   three fragments; over b..c          a..b: 9        +-- b..d: 5 --+
//   are 9, 5 and 2, and for a read                     |             |
//   at 7, 5 is the newest                          b..c: 9 2     c..d: -
//
// Each node keeps its sequence numbers sorted, as ranks among all of them.
// Space is O(n log n), and O(n) if nothing overlaps. Time is O(log^2 n) per
// question.
//
// Where keys have timestamps, each deletion has one too. Bounds are then keys
// without timestamps, and a rank stands for a sequence number and a timestamp.
// The two mostly rise together. If they do not, a question at a timestamp may
// take O(n).
//
// Made once, then thread-safe to read.
#ifndef ASHLAR_TABLE_META_RANGE_DEL_FRAGMENTS_H_
#define ASHLAR_TABLE_META_RANGE_DEL_FRAGMENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ashlar/table/range_deletion.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/format/block_place.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

class RangeDeletionFragments {
 public:
  // Sequence number and timestamp of a deletion. Sequence number 0 deletes
  // nothing.
  struct Version {
    SequenceNumber sequence = 0;
    Slice timestamp;  // empty if keys have none
  };

  explicit RangeDeletionFragments(KeyOrder order)
      : comparator_(order.comparator()),
        timestamp_size_(order.timestamp_size()),
        order_(order.WithoutTimestamps()) {}

  // Builds the tree. To be called once. Returns NotSupported if the deletions
  // overlap so much that the tree would take more than 1 GiB, MemoryLimit if
  // memory runs out. Requires: the keys outlive the fragments, and are at least
  // as long as a timestamp.
  Status Build(const std::vector<RangeDeletion>& deletions,
               const BlockPlace& place);

  // Returns the number of fragments from the first begin to the last end. Gaps,
  // with no deletion over them, are fragments too.
  size_t size() const { return bounds_.empty() ? 0 : bounds_.size() - 1; }
  Slice begin(size_t i) const { return bounds_[i]; }
  Slice end(size_t i) const { return bounds_[i + 1]; }

  // Returns the fragment of a key (without timestamp): kBefore if the key is
  // before all of them, size() if it is after all.
  static constexpr size_t kBefore = ~size_t{0};
  size_t Find(const Slice& user_key) const;

  // Returns, of the deletions over fragment i, the one with the largest
  // sequence number that is not above the snapshot and, unless `timestamp` is
  // empty, whose timestamp is not newer than that. Takes any number that Find
  // returns.
  Version NewestAt(size_t i, SequenceNumber snapshot,
                   const Slice& timestamp) const;
  Version NewestOver(const Slice& user_key, SequenceNumber snapshot,
                     const Slice& timestamp) const {
    return NewestAt(Find(user_key), snapshot, timestamp);
  }

  // Sets *fragment to all deletions over fragment i, newest first, each once.
  void ListAt(size_t i, RangeDeletionFragment* fragment) const;

  uint64_t MemoryUsage() const;

 private:
  // Bounds by number, and the rank of the version.
  struct Span {
    uint32_t begin;
    uint32_t end;
    uint32_t rank;
  };

  void CollectBounds(const std::vector<RangeDeletion>& deletions);
  void CollectVersions(const std::vector<RangeDeletion>& deletions);
  std::vector<Span> MakeSpans(
      const std::vector<RangeDeletion>& deletions) const;
  Status FillTree(const std::vector<Span>& spans, const BlockPlace& place);
  uint32_t BoundNumber(const Slice& user_key) const;
  bool IsEmpty(const RangeDeletion& deletion) const {
    return order_.CompareUserKeys(KeyOf(deletion.begin), KeyOf(deletion.end)) >=
           0;
  }
  Slice KeyOf(const Slice& user_key) const {
    return WithoutTimestamp(user_key, timestamp_size_);
  }
  Version VersionOf(const RangeDeletion& deletion) const {
    return {deletion.sequence, TimestampOf(deletion.begin, timestamp_size_)};
  }
  // Returns whether a comes before b: newer sequence numbers first, then newer
  // timestamps.
  bool IsNewer(const Version& a, const Version& b) const;
  uint32_t RankOf(const Version& version) const;
  bool IsLater(const Slice& a, const Slice& b) const {
    return comparator_->CompareTimestamp(a, b) > 0;
  }

  const Comparator* comparator_;
  size_t timestamp_size_;
  KeyOrder order_;                 // of keys without timestamps
  std::vector<Slice> bounds_;      // ascending, each once
  std::vector<Version> versions_;  // by rank: newest first, each once
  // Whether the timestamps of versions_ descend too.
  bool timestamps_descend_ = true;
  // The tree. Node 1 is the root, the children of n are 2n and 2n + 1, and leaf
  // i is node size() + i. Node n has ranks_[node_begin_[n] ..
  // node_begin_[n+1]), ascending.
  std::vector<uint32_t> node_begin_;
  std::vector<uint32_t> ranks_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_RANGE_DEL_FRAGMENTS_H_

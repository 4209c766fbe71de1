// RangeDeletionFragments: what the range deletions of a table do to a key.
//
// They may overlap and come in any order. All their ends, sorted, cut the keys
// into fragments; within a fragment every key has the same deletions above it.
// To list these for each fragment would take quadratic space. So the fragments
// are the leaves of a binary tree, each deletion stands at the few nodes that
// together make up its range (at most two a level), and a key's deletions are
// those at the nodes from its leaf to the root:
//
//   a..c at 9, b..d at 5, b..c at 2:        +----- a..d: - -----+
//                                           |                   |
//   three fragments; over b..c          a..b: 9        +-- b..d: 5 --+
//   are 9, 5 and 2, and for who                        |             |
//   reads at 7, 5 is the newest                    b..c: 9 2     c..d: -
//
// Each node keeps its sequence numbers sorted, as ranks among all of them.
// Space O(n log n), O(n) where nothing overlaps; time O(log^2 n) a question.
// Where keys have timestamps, so has each deletion, bounds are keys without,
// and a rank stands for a sequence number and a timestamp. The two mostly rise
// together; where they do not, a question at a timestamp may take O(n).
//
// Made once, then thread-safe.
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
  // What a deletion does, and when. Sequence number 0 deletes nothing.
  struct Version {
    SequenceNumber sequence = 0;
    Slice timestamp;  // empty where keys have none
  };

  explicit RangeDeletionFragments(KeyOrder order)
      : comparator_(order.comparator()),
        timestamp_size_(order.timestamp_size()),
        order_(order.WithoutTimestamps()) {}

  // The keys must outlive the fragments, and be as long as a timestamp at
  // least. NotSupported when the deletions
  // overlap so much that the tree would be unreasonably large. To be called
  // once.
  Status Build(const std::vector<RangeDeletion>& deletions,
               const BlockPlace& place);

  // Fragments from the first begin to the last end, gaps among them included.
  size_t size() const { return bounds_.empty() ? 0 : bounds_.size() - 1; }
  Slice begin(size_t i) const { return bounds_[i]; }
  Slice end(size_t i) const { return bounds_[i + 1]; }

  // The fragment of a key without timestamp. kBefore and size() for keys
  // outside of all.
  static constexpr size_t kBefore = ~size_t{0};
  size_t Find(const Slice& user_key) const;

  // Of the deletions over the whole fragment the one with the largest sequence
  // number that is not above the snapshot, and whose timestamp is not newer
  // than the given one, if that is not empty. Any number that Find gives may be
  // asked.
  Version NewestAt(size_t i, SequenceNumber snapshot,
                   const Slice& timestamp) const;
  Version NewestOver(const Slice& user_key, SequenceNumber snapshot,
                     const Slice& timestamp) const {
    return NewestAt(Find(user_key), snapshot, timestamp);
  }

  // All of fragment i, newest first, each once.
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
  // Of versions: newer sequence numbers first, then newer timestamps.
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
  // The tree: node 1 is the root, the children of n are 2n and 2n + 1, leaf i
  // is node size() + i. Node n has ranks_[node_begin_[n] .. node_begin_[n+1]),
  // ascending.
  std::vector<uint32_t> node_begin_;
  std::vector<uint32_t> ranks_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_RANGE_DEL_FRAGMENTS_H_

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
//
// Made once, then thread-safe.
#ifndef ASHLAR_TABLE_META_RANGE_DEL_FRAGMENTS_H_
#define ASHLAR_TABLE_META_RANGE_DEL_FRAGMENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "table/format/block_place.h"
#include "table/format/key_order.h"
#include "table/range_deletion.h"
#include "util/slice.h"
#include "util/status.h"

namespace ashlar::internal {

class RangeDeletionFragments {
 public:
  explicit RangeDeletionFragments(KeyOrder order) : order_(order) {}

  // The keys must outlive the fragments. NotSupported when the deletions
  // overlap so much that the tree would be unreasonably large. To be called
  // once.
  Status Build(const std::vector<RangeDeletion>& deletions,
               const BlockPlace& place);

  // Fragments from the first begin to the last end, gaps among them included.
  size_t size() const { return bounds_.empty() ? 0 : bounds_.size() - 1; }
  Slice begin(size_t i) const { return bounds_[i]; }
  Slice end(size_t i) const { return bounds_[i + 1]; }

  // The fragment of a key. kBefore and size() for keys outside of all.
  static constexpr size_t kBefore = ~size_t{0};
  size_t Find(const Slice& user_key) const;

  // The largest sequence number that a deletion over the whole fragment has
  // and that is not above the snapshot. 0, which deletes nothing, where there
  // is none. Any number that Find gives may be asked.
  SequenceNumber NewestAt(size_t i, SequenceNumber snapshot) const;
  SequenceNumber NewestOver(const Slice& user_key,
                            SequenceNumber snapshot) const {
    return NewestAt(Find(user_key), snapshot);
  }

  // All sequence numbers over fragment i, newest first, each once.
  void ListAt(size_t i, std::vector<SequenceNumber>* sequences) const;

  uint64_t MemoryUsage() const;

 private:
  // Bounds by number, and the rank of the sequence number.
  struct Span {
    uint32_t begin;
    uint32_t end;
    uint32_t rank;
  };

  void CollectBounds(const std::vector<RangeDeletion>& deletions);
  std::vector<Span> MakeSpans(const std::vector<RangeDeletion>& deletions);
  Status FillTree(const std::vector<Span>& spans, const BlockPlace& place);
  uint32_t BoundNumber(const Slice& user_key) const;
  bool IsEmpty(const RangeDeletion& deletion) const {
    return order_.CompareUserKeys(deletion.begin, deletion.end) >= 0;
  }

  KeyOrder order_;
  std::vector<Slice> bounds_;              // ascending, each once
  std::vector<SequenceNumber> sequences_;  // by rank: descending, each once
  // The tree: node 1 is the root, the children of n are 2n and 2n + 1, leaf i
  // is node size() + i. Node n has ranks_[node_begin_[n] .. node_begin_[n+1]),
  // ascending.
  std::vector<uint32_t> node_begin_;
  std::vector<uint32_t> ranks_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_RANGE_DEL_FRAGMENTS_H_

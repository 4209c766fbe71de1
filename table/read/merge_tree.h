// MergeTree: says which of several iterators is at the first entry.
//
// A tree of losers: each inner node holds the child that lost there, so that
// after a step of the winner one comparison per level, on its way from leaf to
// root, finds the next. The comparison is a branch: without one, the step of
// the next child has to wait for it, which takes longer than a wrong guess.
//
// Ranks. A node has its child, and the child's rank: an integer that is smaller
// for the entry that the walk meets first. Equal ranks say nothing: then keys
// are compared.
//
//   child at an entry, keys of bytes   8 bytes of its user key behind `prefix`,
//                                      inverted if keys or the walk descend
//   child at an entry, other keys      0
//   child at its end                   the largest integer
//
// `prefix` are bytes that all children's user keys begin with: where a walk is,
// keys are much alike. A key that does not begin with it makes it shorter, and
// all ranks are made again (Shorten). Many comparisons of keys make it as long
// as keys now allow (ChoosePrefix). Both cost as much as a few comparisons per
// child. The prefix and ranks only save time: they never decide otherwise than
// the keys would.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_READ_MERGE_TREE_H_
#define ASHLAR_TABLE_READ_MERGE_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ashlar/table/iterator.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

class MergeTree {
 public:
  MergeTree(const Comparator* comparator, std::vector<Iterator> children)
      : order_(comparator),
        children_(std::move(children)),
        nodes_(children_.size()) {}

  std::vector<Iterator>& children() { return children_; }
  const std::vector<Iterator>& children() const { return children_; }
  // Requires: there are children, and Build was called.
  size_t winner() const { return nodes_[0].child; }

  bool forward() const { return forward_; }
  // Sets the direction of the walk. The winner is then unknown until Build.
  void TurnTo(bool forward) { forward_ = forward; }
  // Finds the winner, after all children have moved.
  void Build();
  // Finds the winner, after the winner has moved in the walk's direction.
  void Replay();
  // Returns whether the walk meets the entry of a before that of b, by their
  // keys.
  bool ComesFirst(size_t a, size_t b) const;

 private:
  static constexpr size_t kWord = sizeof(uint64_t);
  static constexpr size_t kMostPrefix = 8 * kWord;
  static constexpr uint32_t kUnknown = ~uint32_t{0};
  static constexpr uint64_t kAtEnd = ~uint64_t{0};
  // So many comparisons of keys per child, that a better prefix might have
  // saved, make the prefix anew.
  static constexpr size_t kTiesPerChild = 16;

  struct Node {
    uint64_t rank = 0;
    uint32_t child = kUnknown;
  };

  bool IsFirst(const Node& a, const Node& b) {
    return a.rank != b.rank ? a.rank < b.rank : IsFirstByKey(a.child, b.child);
  }
  bool IsFirstByKey(size_t a, size_t b) {
    ++ties_;
    return ComesFirst(a, b);
  }
  uint64_t RankOf(size_t child) const;
  bool BeginsWithPrefix(const Slice& user_key) const;
  void ChoosePrefix();
  void KeepCommonPrefix(const Slice& user_key);
  void Shorten(size_t child);
  void RankAll();
  void Climb(uint64_t rank, uint32_t child);
  void FindSecond();

  const KeyOrder order_;
  std::vector<Iterator> children_;
  std::vector<Node> nodes_;  // node 0 has the winner
  // The best of the others, if it is known: a child that wins again and again
  // is only compared with it.
  Node second_;
  bool forward_ = true;
  size_t ties_ = 0;
  size_t prefix_size_ = 0;
  std::array<char, kMostPrefix> prefix_ = {};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_MERGE_TREE_H_

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
#include "util/coding/coding.h"

namespace ashlar::internal {

class MergeTree {
 public:
  MergeTree(const Comparator* comparator, std::vector<Iterator> children)
      : order_(comparator),
        children_(std::move(children)),
        nodes_(children_.size()) {}

  std::vector<Iterator>& children() { return children_; }
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
  // After this many comparisons of keys per child, the prefix is chosen again:
  // a longer one may make such comparisons unnecessary.
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

// Reads up to 8 bytes behind the user key: there is its tail.
inline bool MergeTree::BeginsWithPrefix(const Slice& user_key) const {
  if (user_key.size() < prefix_size_) return false;
  size_t at = 0;
  for (; at + kWord <= prefix_size_; at += kWord) {
    if (LoadFixed64(user_key.data() + at) != LoadFixed64(&prefix_[at]))
      return false;
  }
  const size_t rest = prefix_size_ - at;
  if (rest == 0) return true;
  const uint64_t difference =
      LoadFixed64(user_key.data() + at) ^ LoadFixed64(&prefix_[at]);
  return difference << (kWord - rest) * 8 == 0;
}

// Requires: the child's key begins with the prefix, or it is at its end.
inline uint64_t MergeTree::RankOf(size_t child) const {
  if (!children_[child].Valid()) return kAtEnd;
  if (!order_.IsOfBytes()) return 0;
  const Slice user_key = children_[child].user_key();
  const size_t rest = user_key.size() - prefix_size_;
  uint64_t word = 0;
  if (rest >= kWord) {
    word = LoadBigEndian64(user_key.data() + prefix_size_);
  } else if (rest != 0) {
    // What is behind the user key is its tail, which does not count.
    word = LoadBigEndian64(user_key.data() + prefix_size_) &
           ~uint64_t{0} << (kWord - rest) * 8;
  }
  word = order_.WordOf(word);
  return forward_ ? word : ~word;
}

// Lets a child climb from its leaf to the root. Rank and number are apart, so
// that they stay in two registers.
inline void MergeTree::Climb(uint64_t rank, uint32_t child) {
  const size_t n = nodes_.size();
  Node* const nodes = nodes_.data();
  for (size_t at = (child + n) / 2; at > 0; at /= 2) {
    const uint64_t other_rank = nodes[at].rank;
    const uint32_t other = nodes[at].child;
    bool first = other_rank < rank;
    if (other_rank == rank) [[unlikely]]
      first = IsFirstByKey(other, child);
    if (!first) continue;
    nodes[at].rank = rank;
    nodes[at].child = child;
    rank = other_rank;
    child = other;
  }
  nodes[0].rank = rank;
  nodes[0].child = child;
}

inline void MergeTree::Replay() {
  const uint32_t last = nodes_[0].child;
  if (order_.IsOfBytes() && children_[last].Valid()) {
    if (ties_ > kTiesPerChild * nodes_.size()) [[unlikely]] {
      ChoosePrefix();
      RankAll();
    } else if (!BeginsWithPrefix(children_[last].user_key())) [[unlikely]] {
      Shorten(last);
    }
  }
  const uint64_t rank = RankOf(last);
  if (second_.child != kUnknown) {
    if (IsFirst({rank, last}, second_)) {
      nodes_[0].rank = rank;
      return;
    }
    second_.child = kUnknown;
  }
  Climb(rank, last);
  if (winner() == last) FindSecond();
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_MERGE_TREE_H_

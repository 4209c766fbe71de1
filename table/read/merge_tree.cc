#include "table/read/merge_tree.h"

#include <algorithm>
#include <cstring>

namespace ashlar::internal {

namespace {

uint64_t LoadWord(const char* from) {
  uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

bool MergeTree::ComesFirst(size_t a, size_t b) const {
  if (!children_[a].Valid() || !children_[b].Valid()) {
    return children_[a].Valid() || (!children_[b].Valid() && a < b);
  }
  const int result = order_.Compare(children_[a].key(), children_[b].key());
  if (result != 0) return (result < 0) == forward_;
  return (a < b) == forward_;
}

// Reads up to 8 bytes behind the user key: there is its tail.
bool MergeTree::BeginsWithPrefix(const Slice& user_key) const {
  if (user_key.size() < prefix_size_) return false;
  size_t at = 0;
  for (; at + kWord <= prefix_size_; at += kWord) {
    if (LoadWord(user_key.data() + at) != LoadWord(&prefix_[at])) return false;
  }
  const size_t rest = prefix_size_ - at;
  if (rest == 0) return true;
  const uint64_t difference =
      LoadWord(user_key.data() + at) ^ LoadWord(&prefix_[at]);
  return difference << (kWord - rest) * 8 == 0;
}

// Requires: the child's key begins with the prefix, or it is at its end.
uint64_t MergeTree::RankOf(size_t child) const {
  if (!children_[child].Valid()) return kAtEnd;
  if (!order_.IsOfBytes()) return 0;
  const Slice user_key = children_[child].user_key();
  const size_t rest = user_key.size() - prefix_size_;
  uint64_t word = 0;
  if (rest >= kWord) {
    word = __builtin_bswap64(LoadWord(user_key.data() + prefix_size_));
  } else if (rest != 0) {
    // What is behind the user key is its tail, which does not count.
    word = __builtin_bswap64(LoadWord(user_key.data() + prefix_size_)) &
           ~uint64_t{0} << (kWord - rest) * 8;
  }
  word = order_.WordOf(word);
  return forward_ ? word : ~word;
}

void MergeTree::KeepCommonPrefix(const Slice& user_key) {
  const size_t most = std::min(prefix_size_, user_key.size());
  const char* const begin = prefix_.data();
  prefix_size_ = static_cast<size_t>(
      std::mismatch(begin, begin + most, user_key.data()).first - begin);
}

// Makes the prefix what all children's keys begin with.
void MergeTree::ChoosePrefix() {
  ties_ = 0;
  prefix_size_ = 0;
  if (!order_.IsOfBytes()) return;
  bool any = false;
  for (const Iterator& child : children_) {
    if (!child.Valid()) continue;
    const Slice user_key = child.user_key();
    if (!any) {
      prefix_size_ = std::min(user_key.size(), kMostPrefix);
      std::copy_n(user_key.data(), prefix_size_, prefix_.data());
    } else {
      KeepCommonPrefix(user_key);
    }
    any = true;
  }
}

void MergeTree::RankAll() {
  second_ = Node();
  for (Node& node : nodes_) node.rank = RankOf(node.child);
}

// The child's key no longer begins with the prefix.
[[gnu::noinline, gnu::cold]] void MergeTree::Shorten(size_t child) {
  KeepCommonPrefix(children_[child].user_key());
  RankAll();
}

void MergeTree::Build() {
  const size_t n = children_.size();
  if (n == 0) return;
  ChoosePrefix();
  second_ = Node();
  if (n == 1) {
    nodes_[0] = {RankOf(0), 0};
    return;
  }
  std::vector<Node> winners(2 * n);
  for (uint32_t i = 0; i < n; ++i) winners[n + i] = {RankOf(i), i};
  for (size_t at = n - 1; at > 0; --at) {
    const Node& a = winners[2 * at];
    const Node& b = winners[2 * at + 1];
    const bool first = IsFirst(a, b);
    winners[at] = first ? a : b;
    nodes_[at] = first ? b : a;
  }
  nodes_[0] = winners[1];
}

// Lets a child climb from its leaf to the root. Rank and number are apart, so
// that they stay in two registers.
void MergeTree::Climb(uint64_t rank, uint32_t child) {
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

// The second best lost to the winner, so it is one of those on the winner's way
// to the root.
void MergeTree::FindSecond() {
  for (size_t at = (winner() + nodes_.size()) / 2; at > 0; at /= 2) {
    if (second_.child == kUnknown || IsFirst(nodes_[at], second_)) {
      second_ = nodes_[at];
    }
  }
}

void MergeTree::Replay() {
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

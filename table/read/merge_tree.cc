#include "table/read/merge_tree.h"

#include <algorithm>
#include <cstring>

namespace ashlar::internal {

bool MergeTree::ComesFirst(size_t a, size_t b) const {
  if (!children_[a].Valid() || !children_[b].Valid()) {
    return children_[a].Valid() || (!children_[b].Valid() && a < b);
  }
  const int result = order_.Compare(children_[a].key(), children_[b].key());
  if (result != 0) return (result < 0) == forward_;
  return (a < b) == forward_;
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

// The second best lost to the winner, so it is one of those on the winner's way
// to the root.
void MergeTree::FindSecond() {
  for (size_t at = (winner() + nodes_.size()) / 2; at > 0; at /= 2) {
    if (second_.child == kUnknown || IsFirst(nodes_[at], second_)) {
      second_ = nodes_[at];
    }
  }
}

}  // namespace ashlar::internal

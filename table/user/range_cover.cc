#include "table/user/range_cover.h"

#include <algorithm>
#include <utility>

namespace ashlar::internal {

RangeCover::RangeCover(const KeyOrder& order, const ReadOptions& options)
    : order_(order),
      plain_(order.WithoutTimestamps()),
      snapshot_(options.snapshot),
      timestamp_(options.timestamp.ToString()) {}

void RangeCover::Add(const RangeDeletionFragments* fragments,
                     const Slice& smallest, const Slice& largest) {
  Input input{fragments, smallest.ToString(), largest.ToString()};
  if (!largest.empty()) {
    const SequenceNumber sequence = SequenceOf(largest);
    if (sequence != 0 && !IsRangeDeletionEnd(largest)) {
      input.end = UserKeyOf(largest).ToString();
      AppendInternalKey(Slice(), sequence - 1, ValueType{0xff}, &input.end);
    }
  }
  inputs_.push_back(std::move(input));
}

Status RangeCover::Add(const std::vector<RangeDeletion>& deletions) {
  if (deletions.empty()) return {};
  auto fragments = std::make_unique<RangeDeletionFragments>(order_);
  Status built = fragments->Build(
      deletions, BlockPlace{BlockKind::kRangeDeletion, {0, 0}, {}});
  if (!built.ok()) return built;
  owned_.push_back(std::move(fragments));
  Add(owned_.back().get(), Slice(), Slice());
  return {};
}

// Finds the window of a key, and what is over it.
void RangeCover::Enter(const Slice& plain, const Slice& internal_key) {
  begin_ = Edge();
  end_ = Edge();
  newest_ = 0;
  has_window_ = true;
  for (const Input& input : inputs_) {
    if (EnterBounds(input, plain, internal_key)) EnterFragment(input, plain);
  }
}

// Returns whether the range deletions of the input count for the key. Narrows
// the window by the input's bounds.
bool RangeCover::EnterBounds(const Input& input, const Slice& plain,
                             const Slice& internal_key) {
  if (input.end.empty()) return true;
  const Slice first = Plain(input.smallest);
  const Slice last = Plain(input.end);
  const int to_first = plain_.CompareUserKeys(plain, first);
  if (to_first < 0) {
    EndAt({first, false, true});
    return false;
  }
  const int to_last = plain_.CompareUserKeys(plain, last);
  if (to_last > 0) {
    BeginAt({last, true, true});
    return false;
  }
  BeginAt({first, to_first != 0, true});
  EndAt({last, to_last == 0, true});
  if (to_first != 0 && to_last != 0) return true;
  has_window_ = false;
  return order_.Compare(internal_key, input.smallest) >= 0 &&
         order_.Compare(internal_key, input.end) < 0;
}

void RangeCover::EnterFragment(const Input& input, const Slice& plain) {
  const RangeDeletionFragments& fragments = *input.fragments;
  const size_t n = fragments.size();
  if (n == 0) return;
  const size_t i = fragments.Find(plain);
  if (i != RangeDeletionFragments::kBefore) {
    BeginAt({i < n ? fragments.begin(i) : fragments.end(n - 1), false, true});
  }
  if (i != n) {
    EndAt({i < n ? fragments.end(i) : fragments.begin(0), false, true});
  }
  newest_ =
      std::max(newest_, fragments.NewestAt(i, snapshot_, timestamp_).sequence);
}

}  // namespace ashlar::internal

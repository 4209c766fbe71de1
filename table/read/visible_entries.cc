#include "table/read/visible_entries.h"

namespace ashlar::internal {

VisibleEntries::VisibleEntries(const OpenedTable* table,
                               const ReadOptions& options)
    : all_(table, options), snapshot_(options.snapshot) {
  if (table->range_deletions != nullptr && !options.ignore_range_deletions) {
    fragments_ = &table->range_deletions->fragments;
  }
}

bool VisibleEntries::PassForward(bool on_entry) {
  while (on_entry && Hides(key())) on_entry = StepForward();
  return on_entry;
}

bool VisibleEntries::PassBackward(bool on_entry) {
  while (on_entry && Hides(key())) on_entry = StepBackward();
  return on_entry;
}

bool VisibleEntries::Hides(const Slice& key) {
  const SequenceNumber sequence = SequenceOf(key);
  if (sequence > snapshot_) return true;
  if (fragments_ == nullptr) return false;
  const KeyOrder& order = all_.table->order_without_timestamps;
  const Slice user_key =
      WithoutTimestamp(UserKeyOf(key), all_.table->order.timestamp_size());
  const bool inside =
      newest_.has_value() &&
      (!begin_ || order.CompareUserKeys(*begin_, user_key) <= 0) &&
      (!end_ || order.CompareUserKeys(user_key, *end_) < 0);
  if (!inside) EnterFragmentOf(user_key);
  return sequence < *newest_;
}

void VisibleEntries::EnterFragmentOf(const Slice& user_key) {
  const RangeDeletionFragments& fragments = *fragments_;
  const size_t i = fragments.Find(user_key);
  const size_t n = fragments.size();
  begin_.reset();
  end_.reset();
  if (n != 0) {
    if (i != RangeDeletionFragments::kBefore) {
      begin_ = i < n ? fragments.begin(i) : fragments.end(n - 1);
    }
    if (i != n) end_ = i < n ? fragments.end(i) : fragments.begin(0);
  }
  newest_ = fragments.NewestAt(i, snapshot_, all_.newest).sequence;
}

}  // namespace ashlar::internal

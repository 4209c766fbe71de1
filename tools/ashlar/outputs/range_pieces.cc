#include "tools/ashlar/outputs/range_pieces.h"

#include <algorithm>
#include <utility>

#include "tools/ashlar/print/escaped_text.h"

namespace ashlar::tool {

// Compares user keys without their timestamps, which do not affect what a range
// covers.
int RangePieces::Compare(const Slice& a, const Slice& b) const {
  const size_t size = comparator_->timestamp_size();
  return comparator_->CompareWithoutTimestamp(WithoutTimestamp(a, size),
                                              WithoutTimestamp(b, size));
}

Status RangePieces::Add(const Row& row) {
  const size_t size = comparator_->timestamp_size();
  if (row.key.size() < size || row.value.size() < size) {
    return Status::InvalidArgument(
        "a range deletion whose keys are shorter than the comparator's "
        "timestamp");
  }
  if (Compare(row.key, row.value) >= 0) {
    return Status::InvalidArgument(
        "a range deletion begins at '" + Escape(row.key) +
        "', which is not smaller than its end '" + Escape(row.value) + "'");
  }
  ranges_.push_back({row.key.ToString(), row.value.ToString(), row.sequence});
  return Status();
}

void RangePieces::Sort() {
  if (sorted_) return;
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [this](const Range& a, const Range& b) {
                     return Compare(a.begin, b.begin) < 0;
                   });
  sorted_ = true;
}

// Replaces the user key in *key by `at`, and keeps the timestamp of *key.
void RangePieces::Cut(const Slice& at, std::string* key) const {
  const size_t size = comparator_->timestamp_size();
  const Slice user_key = WithoutTimestamp(at, size);
  key->replace(0, key->size() - size, user_key.data(), user_key.size());
}

Status RangePieces::Take(const Slice* end,
                         const std::function<Status(const Row&)>& take) {
  Sort();
  std::vector<size_t> taken = std::move(begun_);
  begun_.clear();
  while (next_ < ranges_.size() &&
         (end == nullptr || Compare(ranges_[next_].begin, *end) < 0)) {
    taken.push_back(next_++);
  }
  for (const size_t i : taken) {
    Range& range = ranges_[i];
    std::string piece_end = range.end;
    const bool goes_on = end != nullptr && Compare(range.end, *end) > 0;
    if (goes_on) Cut(*end, &piece_end);
    Row row;
    row.key = range.begin;
    row.value = piece_end;
    row.sequence = range.sequence;
    row.type = ValueType::kTypeRangeDeletion;
    Status status = take(row);
    if (!status.ok()) return status;
    if (!goes_on) continue;
    // The rest of the range, after `end`, waits for the next call.
    Cut(*end, &range.begin);
    begun_.push_back(i);
  }
  return Status();
}

}  // namespace ashlar::tool

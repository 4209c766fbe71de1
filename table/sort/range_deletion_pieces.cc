// Range deletions that are cut at the borders of tables.

#include "ashlar/table/range_deletion_pieces.h"

#include <algorithm>
#include <utility>

#include "util/mem/memory_limit.h"

namespace ashlar {

using internal::OrMemoryLimit;

// Compares user keys without their timestamps, which do not affect what a range
// covers.
int RangeDeletionPieces::Compare(const Slice& a, const Slice& b) const {
  const size_t size = comparator_->timestamp_size();
  return comparator_->CompareWithoutTimestamp(WithoutTimestamp(a, size),
                                              WithoutTimestamp(b, size));
}

Status RangeDeletionPieces::Add(const RangeDeletion& deletion) {
  const size_t size = comparator_->timestamp_size();
  if (deletion.begin.size() < size || deletion.end.size() < size) {
    return Status::InvalidArgument(
        "a range deletion whose keys are shorter than the comparator's "
        "timestamp");
  }
  return OrMemoryLimit([&] {
    if (Compare(deletion.begin, deletion.end) >= 0) {
      return Status::InvalidArgument(
          "the range deletion from " +
          DescribeInternalKey(MakeInternalKey(deletion.begin, deletion.sequence,
                                              ValueType::kTypeRangeDeletion)) +
          " on does not end after that key");
    }
    ranges_.push_back({deletion.begin.ToString(), deletion.end.ToString(),
                       deletion.sequence});
    return Status();
  });
}

void RangeDeletionPieces::Sort() {
  if (sorted_) return;
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [this](const Range& a, const Range& b) {
                     return Compare(a.begin, b.begin) < 0;
                   });
  sorted_ = true;
}

// Replaces the user key in *key by `at`, and keeps the timestamp of *key.
void RangeDeletionPieces::Cut(const Slice& at, std::string* key) const {
  const size_t size = comparator_->timestamp_size();
  const Slice user_key = WithoutTimestamp(at, size);
  key->replace(0, key->size() - size, user_key.data(), user_key.size());
}

// Takes what is before `end`, and leaves the rest in *range. Sets *goes_on to
// whether there is a rest.
Status RangeDeletionPieces::TakePart(
    Range* range, const Slice* end, bool* goes_on,
    const std::function<Status(const RangeDeletion&)>& take) {
  *goes_on = end != nullptr && Compare(range->end, *end) > 0;
  std::string part_end = range->end;
  if (*goes_on) Cut(*end, &part_end);
  Status status = take({range->begin, part_end, range->sequence});
  if (status.ok() && *goes_on) Cut(*end, &range->begin);
  return status;
}

Status RangeDeletionPieces::Take(
    const Slice* end, const std::function<Status(const RangeDeletion&)>& take) {
  return OrMemoryLimit([&] {
    Sort();
    std::vector<size_t> taken = std::move(begun_);
    begun_.clear();
    while (next_ < ranges_.size() &&
           (end == nullptr || Compare(ranges_[next_].begin, *end) < 0)) {
      taken.push_back(next_++);
    }
    for (const size_t i : taken) {
      bool goes_on;
      Status status = TakePart(&ranges_[i], end, &goes_on, take);
      if (!status.ok()) return status;
      if (goes_on) begun_.push_back(i);
    }
    return Status();
  });
}

}  // namespace ashlar

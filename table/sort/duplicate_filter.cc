#include "table/sort/duplicate_filter.h"

#include "ashlar/table/internal_key.h"

namespace ashlar::internal {

// Equal bytes are what a comparator calls equal (util/comparator.h). Without
// internal keys, entries of one user key are equal whatever their types.
bool DuplicateFilter::IsEqualToLast(const SortEntry& entry) const {
  return has_last_ && entry.user_key == Slice(key_) &&
         entry.sequence == last_.sequence &&
         (!output_->internal_keys() || entry.type == last_.type);
}

void DuplicateFilter::Remember(const SortEntry& entry) {
  has_last_ = true;
  key_.assign(entry.user_key.data(), entry.user_key.size());
  if (policy_ == DuplicatePolicy::kLast) {
    value_.assign(entry.value.data(), entry.value.size());
  }
  last_ = entry;
  last_.user_key = key_;
  last_.value = value_;
}

Status DuplicateFilter::Refuse(const SortEntry& entry) const {
  const std::string key = DescribeInternalKey(
      MakeInternalKey(entry.user_key, entry.sequence, entry.type));
  return Status::InvalidArgument(
      key + " was added twice: as entry " + std::to_string(last_.number + 1) +
          " and as entry " + std::to_string(entry.number + 1),
      Status::SubCode::kDuplicateKey);
}

Status DuplicateFilter::Add(const SortEntry& entry) {
  const bool is_equal = IsEqualToLast(entry);
  if (is_equal) {
    if (policy_ == DuplicatePolicy::kError) return Refuse(entry);
    left_out_.Store(left_out_.Load() + 1);
    if (policy_ == DuplicatePolicy::kLast) Remember(entry);
    return Status();
  }
  Status status;
  if (policy_ != DuplicatePolicy::kLast) {
    status = output_->Add(entry);
  } else if (has_last_) {
    status = output_->Add(last_);
  }
  if (status.ok()) Remember(entry);
  return status;
}

bool DuplicateFilter::IsBeforeLast(const SortEntry& entry,
                                   const Comparator* comparator) const {
  if (!has_last_) return false;
  const int order = comparator->Compare(entry.user_key, Slice(key_));
  if (order != 0 || !output_->internal_keys()) return order < 0;
  return PackTail(entry.sequence, entry.type) >
         PackTail(last_.sequence, last_.type);
}

Status DuplicateFilter::RefuseOrder(const SortEntry& entry) const {
  const auto describe = [](const SortEntry& shown) {
    return DescribeInternalKey(
        MakeInternalKey(shown.user_key, shown.sequence, shown.type));
  };
  return Status::InvalidArgument(
      "entry " + std::to_string(entry.number + 1) + ": " + describe(entry) +
          " belongs before the last one, " + describe(last_),
      Status::SubCode::kKeyOutOfOrder);
}

Status DuplicateFilter::AddInOrder(const SortEntry& entry,
                                   const Comparator* comparator) {
  return IsBeforeLast(entry, comparator) ? RefuseOrder(entry) : Add(entry);
}

Status DuplicateFilter::Flush() {
  const bool is_held = policy_ == DuplicatePolicy::kLast && has_last_;
  return is_held ? output_->Add(last_) : Status();
}

}  // namespace ashlar::internal

#include "table/user/user_walk.h"

#include <utility>

#include "table/read/iterator_state.h"

namespace ashlar::internal {

UserWalk::UserWalk(const KeyOrder& order, const UserIteratorOptions& options,
                   const ReadOptions& read_options, MergingIterator entries,
                   std::unique_ptr<RangeCover> cover,
                   std::shared_ptr<const PrefixExtractor> prefixes,
                   std::vector<Iterator::State*> by_prefix)
    : order_(order),
      snapshot_(read_options.snapshot),
      most_passed_(options.max_sequential_skip_in_iterations),
      one_entry_per_sequence_(options.one_entry_per_sequence),
      entries_(std::move(entries)),
      cover_(std::move(cover)),
      skips_(read_options),
      value_(options),
      prefixes_(std::move(prefixes)),
      by_prefix_(std::move(by_prefix)) {}

bool UserWalk::IsDeletion() const {
  const ValueType type = entries_.type();
  return type == ValueType::kTypeDeletion ||
         type == ValueType::kTypeSingleDeletion ||
         type == ValueType::kTypeDeletionWithTimestamp;
}

void UserWalk::Begin() {
  status_ = Status();
  skips_.Begin();
}

// Returns false if the walk cannot go backward.
bool UserWalk::BeginBackward() {
  Begin();
  return !one_entry_per_sequence_ ||
         Fail(Status::NotSupported(
             "a UserIterator with one_entry_per_sequence moves forward only"));
}

// To be called where entries_ is not at an entry: takes over its error.
// Returns whether there is none.
bool UserWalk::CheckEnd() {
  return entries_.Valid() || entries_.status().ok() || Fail(entries_.status());
}

Status UserWalk::Named(const Status& status) const {
  return status.WithPrefix("key " +
                           DescribeInternalKey(MakeInternalKey(
                               user_key(), snapshot_, ValueType::kTypeValue)));
}

bool UserWalk::SeekToFirst() {
  Begin();
  prefix_.reset();
  takes_prefix_ = prefixes_ != nullptr;
  TellChildren(false);
  entries_.SeekToFirst();
  return FindForward(false);
}

bool UserWalk::SeekToLast() {
  if (!BeginBackward()) return false;
  prefix_.reset();
  takes_prefix_ = prefixes_ != nullptr;
  TellChildren(false);
  entries_.SeekToLast();
  return FindBackward(false);
}

bool UserWalk::Seek(const Slice& user_key) {
  Begin();
  TakePrefixOf(user_key);
  SeekEntries(user_key, snapshot_);
  return FindForward(false);
}

bool UserWalk::SeekForPrev(const Slice& user_key) {
  if (!BeginBackward()) return false;
  TakePrefixOf(user_key);
  SeekEntriesForPrev(user_key, 0);
  return FindBackward(false);
}

bool UserWalk::Next() {
  Begin();
  if (place_ == Place::kAtEntry) {
    KeepKey();
    entries_.Next();
  } else if (place_ == Place::kBeforeKey) {
    SeekEntries(Plain(key_.slice()), has_timestamps() ? snapshot_ : 0);
  }
  return FindForward(true);
}

bool UserWalk::Prev() {
  if (!BeginBackward()) return false;
  if (place_ != Place::kBeforeKey) {
    if (place_ == Place::kAtEntry) KeepKey();
    SeekEntriesForPrev(Plain(key_.slice()), kMaxSequenceNumber);
  }
  return FindBackward(true);
}

// Moves on from a version of key_ that is passed over.
void UserWalk::PassVersion(uint64_t* passed) {
  skips_.Add();
  if (++*passed <= most_passed_ || has_timestamps()) return entries_.Next();
  *passed = 0;
  if (IsTooNew()) return SeekEntries(key_.slice(), snapshot_);
  if (entries_.sequence() == 0) return entries_.Next();
  SeekEntries(key_.slice(), 0);
}

// Finds the next key to show. `passes_key` says that versions of key_ are
// passed over.
bool UserWalk::FindForward(bool passes_key) {
  uint64_t passed = 0;
  for (bool is_known = passes_key; entries_.Valid();) {
    if (skips_.IsOver()) return Fail(SkipCount::Error());
    const bool same = is_known && IsOfKey();
    if (same && passes_key) {
      PassVersion(&passed);
      continue;
    }
    passes_key = false;
    if (prefix_ && LeftPrefix(entries_.user_key())) return false;
    if (IsTooNew()) {
      if (!same) {
        KeepKey();
        passed = 0;
      }
      is_known = true;
      PassVersion(&passed);
      continue;
    }
    if (IsDeleted()) {
      KeepKey();
      is_known = true;
      passes_key = true;
      passed = 0;
      skips_.Add();
      entries_.Next();
      continue;
    }
    if (takes_prefix_) TakePrefixOf(Plain(entries_.user_key()));
    return entries_.type() == ValueType::kTypeMerge ? ShowOperands()
                                                    : ShowEntry();
  }
  CheckEnd();
  return false;
}

bool UserWalk::ShowEntry() {
  place_ = Place::kAtEntry;
  if (entries_.type() == ValueType::kTypeValue) [[likely]] {
    value_.ShowPlain(entries_.value());
    return true;
  }
  Status shown =
      value_.Show(entries_.user_key(), {entries_.type(), entries_.value()});
  return shown.ok() || Fail(Named(shown));
}

// Collects the operands of key_ from where entries_ is, and the value beneath
// them. That is still entries_'s. Returns false after an error.
bool UserWalk::Gather(std::optional<StoredValue>* base) {
  base->reset();
  operands_.Clear();
  newest_first_ = true;
  last_operand_.clear();
  for (; entries_.Valid() && IsOfKey(); entries_.Next()) {
    if (skips_.IsOver()) return Fail(SkipCount::Error());
    if (IsTooNew()) {
      skips_.Add();
      continue;
    }
    if (one_entry_per_sequence_ && HasNumberOfLastOperand()) {
      skips_.Add();
      continue;
    }
    if (IsDeleted()) break;
    if (entries_.type() != ValueType::kTypeMerge) {
      *base = {entries_.type(), entries_.value()};
      break;
    }
    operands_.Add(entries_.value(), entries_.IsValuePinned());
    if (one_entry_per_sequence_) {
      last_operand_.assign(entries_.key().data(), entries_.key().size());
    }
  }
  return CheckEnd();
}

bool UserWalk::ShowOperands() {
  KeepKey();
  place_ = Place::kAfterKey;
  newest_sequence_ = entries_.sequence();
  std::optional<StoredValue> base;
  if (!Gather(&base)) return false;
  Status shown = value_.ShowMerged(key_.slice(), base ? &*base : nullptr,
                                   operands_.Slices(true));
  return shown.ok() || Fail(Named(shown));
}

// Finds the key before, from where entries_ is.
bool UserWalk::FindBackward(bool passes_key) {
  place_ = Place::kBeforeKey;
  while (entries_.Valid()) {
    if (skips_.IsOver()) return Fail(SkipCount::Error());
    if (passes_key && IsOfKey()) {
      entries_.Prev();
      continue;
    }
    passes_key = false;
    if (prefix_ && LeftPrefix(entries_.user_key())) return false;
    KeepKey();
    if (!ReadVersions()) return false;
    bool shown = false;
    if (!ShowKept(&shown)) return false;
    if (shown) return true;
  }
  CheckEnd();
  return false;
}

// Reads the versions of key_ from the oldest to the newest, and collects what
// counts. Returns false after an error.
bool UserWalk::ReadVersions() {
  operands_.Clear();
  newest_first_ = false;
  has_base_ = false;
  uint64_t too_new = 0;
  uint64_t seen = 0;
  while (entries_.Valid() && IsOfKey()) {
    if (skips_.IsOver()) return Fail(SkipCount::Error());
    if (!IsTooNew()) {
      if (seen++ > most_passed_ && !has_timestamps()) return JumpToNewest();
      TakeOlder();
    } else {
      skips_.Add();
      if (too_new++ == most_passed_ && !has_timestamps()) {
        SeekEntriesForPrev(key_.slice(), kMaxSequenceNumber);
        continue;
      }
    }
    entries_.Prev();
  }
  return CheckEnd();
}

// Takes a version that is newer than those that were taken before.
void UserWalk::TakeOlder() {
  const bool is_deleted = IsDeleted();
  if (is_deleted || entries_.type() != ValueType::kTypeMerge) {
    operands_.Clear();
    has_base_ = false;
    if (is_deleted) return skips_.Add();
    KeepBase({entries_.type(), entries_.value()});
  } else {
    operands_.Add(entries_.value(), entries_.IsValuePinned());
  }
  newest_sequence_ = entries_.sequence();
  // The key is shown with the timestamp of its newest version.
  if (has_timestamps()) KeepKey();
}

// Reads a key with many versions from the newest on.
bool UserWalk::JumpToNewest() {
  has_base_ = false;
  std::optional<StoredValue> base;
  SeekEntries(key_.slice(), snapshot_);
  if (entries_.Valid()) newest_sequence_ = entries_.sequence();
  if (!Gather(&base)) return false;
  if (base) KeepBase(*base);
  SeekEntriesForPrev(key_.slice(), kMaxSequenceNumber);
  return CheckEnd();
}

// Shows what was collected, unless that is nothing. Returns false after an
// error.
bool UserWalk::ShowKept(bool* shown) {
  *shown = has_base_ || !operands_.empty();
  if (!*shown) return true;
  if (takes_prefix_) TakePrefixOf(Plain(key_.slice()));
  const StoredValue base{base_type_, base_.slice()};
  Status status =
      operands_.empty()
          ? value_.Show(key_.slice(), base)
          : value_.ShowMerged(key_.slice(), has_base_ ? &base : nullptr,
                              operands_.Slices(newest_first_));
  return status.ok() || Fail(Named(status));
}

Status UserWalk::PinValue(PinnableSlice* value) {
  if (place_ == Place::kAtEntry && !value_.is_own() &&
      value_.value().data() == entries_.value().data() &&
      value_.value().size() == entries_.value().size()) {
    return entries_.PinValue(value);
  }
  return PinCopy(value_.value(), value);
}

// A child that took the prefix of a key that is not the walk's would leave out
// what the walk is to show.
void UserWalk::TellChildren(bool end_with_prefix) {
  for (Iterator::State* child : by_prefix_) {
    child->EndWithPrefix(end_with_prefix);
  }
}

void UserWalk::TakePrefixOf(const Slice& user_key) {
  takes_prefix_ = false;
  prefix_.reset();
  if (prefixes_ == nullptr || !prefixes_->InDomain(user_key)) return;
  prefix_ = prefixes_->Transform(user_key).ToString();
}

bool UserWalk::LeftPrefix(const Slice& user_key) const {
  const Slice plain = Plain(user_key);
  return !prefixes_->InDomain(plain) ||
         prefixes_->Transform(plain) != Slice(*prefix_);
}

}  // namespace ashlar::internal

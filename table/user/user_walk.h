// UserWalk: the walk of a UserIterator. user_iterator.cc says how it works.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_USER_USER_WALK_H_
#define ASHLAR_TABLE_USER_USER_WALK_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/user_iterator.h"
#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/prefix_extractor.h"
#include "table/format/key_order.h"
#include "table/read/version_range.h"
#include "table/user/range_cover.h"
#include "table/user/shown_value.h"

namespace ashlar::internal {

// Bytes that are copied unless they stay where they are.
class KeptBytes {
 public:
  void Keep(const Slice& bytes, bool stays) {
    stays_ = stays;
    if (stays) {
      slice_ = bytes;
    } else {
      copy_.assign(bytes.data(), bytes.size());
      slice_ = copy_;
    }
  }
  const Slice& slice() const { return slice_; }
  bool stays() const { return stays_; }

 private:
  std::string copy_;
  Slice slice_;
  bool stays_ = false;
};

class UserWalk {
 public:
  // `prefixes` is null if walks do not end with their prefix. `by_prefix` are
  // the states of the iterators of tables, which `entries` owns, that may end
  // with it by themselves.
  UserWalk(const KeyOrder& order, const UserIteratorOptions& options,
           const ReadOptions& read_options, MergingIterator entries,
           std::unique_ptr<RangeCover> cover,
           std::shared_ptr<const PrefixExtractor> prefixes,
           std::vector<Iterator::State*> by_prefix);

  // Each of these returns whether the walk is then at a key. If it is not,
  // status() says whether that is an end or an error.
  bool SeekToFirst();
  bool SeekToLast();
  bool Seek(const Slice& user_key);
  bool SeekForPrev(const Slice& user_key);
  bool Next();
  bool Prev();
  bool Fail(Status status) {
    status_ = std::move(status);
    return false;
  }

  const Status& status() const { return status_; }
  // The key, with its timestamp.
  Slice user_key() const {
    return place_ == Place::kAtEntry ? entries_.user_key() : key_.slice();
  }
  const ShownValue& value() const { return value_; }
  // Of the newest version that is seen.
  SequenceNumber sequence() const {
    return place_ == Place::kAtEntry ? entries_.sequence() : newest_sequence_;
  }
  ValueType type() const {
    if (place_ == Place::kAtEntry) return entries_.type();
    return operands_.empty() ? base_type_ : ValueType::kTypeMerge;
  }
  bool IsKeyPinned() const {
    return place_ == Place::kAtEntry ? entries_.IsKeyPinned() : key_.stays();
  }
  bool IsValuePinned() const {
    if (value_.is_own()) return false;
    return place_ == Place::kAtEntry ? entries_.IsValuePinned() : base_.stays();
  }
  Status PinValue(PinnableSlice* value);

 private:
  enum class Place : uint8_t {
    kAtEntry,    // forward: entries_ is at the entry that is shown
    kAfterKey,   // forward: entries_ is behind what was merged
    kBeforeKey,  // backward: entries_ is in front of all versions of the key
  };

  Slice Plain(const Slice& user_key) const {
    return WithoutTimestamp(user_key, order_.timestamp_size());
  }
  bool IsOfKey() const {
    return Plain(entries_.user_key()) == Plain(key_.slice());
  }
  bool HasNumberOfLastOperand() const {
    return !last_operand_.empty() &&
           entries_.sequence() == SequenceOf(last_operand_) &&
           entries_.user_key() == UserKeyOf(last_operand_);
  }
  bool has_timestamps() const { return order_.timestamp_size() != 0; }
  bool IsTooNew() const { return entries_.sequence() > snapshot_; }
  bool IsDeleted() { return IsDeletion() || cover_->Hides(entries_.key()); }
  bool IsDeletion() const;
  void KeepKey() { key_.Keep(entries_.user_key(), entries_.IsKeyPinned()); }
  void KeepBase(const StoredValue& base) {
    base_type_ = base.type;
    has_base_ = true;
    base_.Keep(base.bytes, entries_.IsValuePinned());
  }

  void Begin();
  bool BeginBackward();
  bool CheckEnd();
  void PassVersion(uint64_t* passed);
  bool FindForward(bool passes_key);
  bool ShowEntry();
  bool ShowOperands();
  bool Gather(std::optional<StoredValue>* base);
  bool FindBackward(bool passes_key);
  bool ReadVersions();
  void TakeOlder();
  bool JumpToNewest();
  bool ShowKept(bool* shown);
  Status Named(const Status& status) const;

  // All seeks of entries_ go through these.
  void SeekEntries(const Slice& user_key, SequenceNumber snapshot) {
    TellChildren(prefix_.has_value());
    entries_.Seek(user_key, snapshot);
  }
  void SeekEntriesForPrev(const Slice& user_key, SequenceNumber snapshot) {
    TellChildren(prefix_.has_value());
    entries_.SeekForPrev(user_key, snapshot);
  }
  void TellChildren(bool end_with_prefix);
  void TakePrefixOf(const Slice& user_key);
  bool LeftPrefix(const Slice& user_key) const;

  const KeyOrder order_;
  const SequenceNumber snapshot_;
  const uint64_t most_passed_;
  const bool one_entry_per_sequence_;
  MergingIterator entries_;
  const std::unique_ptr<RangeCover> cover_;
  SkipCount skips_;
  Status status_;
  Place place_ = Place::kAtEntry;
  // The key that is shown, or that was passed over last. With Place::kAtEntry
  // it has no meaning.
  KeptBytes key_;
  ShownValue value_;

  // The internal key of the last operand, with one_entry_per_sequence_.
  std::string last_operand_;

  // What was collected for the key: the number of the newest version, and
  // whether the newest operand comes first.
  SequenceNumber newest_sequence_ = 0;
  Operands operands_;
  bool newest_first_ = false;
  bool has_base_ = false;
  ValueType base_type_ = ValueType::kTypeValue;
  KeptBytes base_;

  const std::shared_ptr<const PrefixExtractor> prefixes_;
  const std::vector<Iterator::State*> by_prefix_;
  bool takes_prefix_ = false;  // of the next key that is shown
  std::optional<std::string> prefix_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_USER_USER_WALK_H_

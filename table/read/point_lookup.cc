#include "table/read/point_lookup.h"

#include <optional>
#include <string>

#include "table/timed_value.h"
#include "table/wide_columns.h"

namespace ashlar::internal {

Status PointLookup::Run(GetResult* result) {
  *result = GetResult();
  result_ = result;
  Status status = table_.CheckTimestamp(options_);
  if (status.ok()) status = table_.CheckOrderKnown("Get");
  if (!status.ok()) return status;
  if (table_.range_deletions != nullptr && !options_.ignore_range_deletions) {
    deletion_ = table_.range_deletions->fragments.NewestOver(
        user_key_, snapshot_, options_.timestamp);
  }
  status = SearchBlocks();
  if (!status.ok()) {
    *result = GetResult();
    return status;
  }
  if (!decided_ && deletion_.sequence != 0) TakeRangeDeletion();
  return {};
}

Status PointLookup::SearchBlocks() {
  std::string target;
  table_.AppendTarget(user_key_, options_.timestamp, snapshot_, &target);
  bool maybe = true;
  Status status = AskFilter(target, &maybe);
  return status.ok() && maybe ? Search(target) : status;
}

Status PointLookup::AskFilter(const Slice& target, bool* maybe) {
  Slice asked;
  const bool has_filter =
      table_.filter.has_value() || table_.filter_partitions != nullptr;
  if (!has_filter || !table_.filter_subject.OfKey(user_key_, &asked)) return {};
  if (table_.filter.has_value()) {
    *maybe = table_.filter->MayMatchBytes(asked);
  } else {
    Status status = table_.filter_partitions->MayMatch(target, asked, maybe);
    if (!status.ok()) return status;
  }
  result_->filter =
      *maybe ? GetResult::Filter::kMaybe : GetResult::Filter::kAbsent;
  return {};
}

Status PointLookup::Search(const Slice& target) {
  IndexCursor at(table_.index.get());
  for (bool on_block = at.Seek(target); on_block; on_block = at.Next()) {
    bool done = false;
    Status status = SearchBlock(at, target, &done);
    if (!status.ok() || done) return status;
  }
  return at.status();
}

// Looks at the versions that the block holds. *done unless more of them may
// follow in the next one.
Status PointLookup::SearchBlock(const IndexCursor& at, const Slice& target,
                                bool* done) {
  const Slice first_key = at.first_key();
  if (!first_key.empty() && table_.order_without_timestamps.CompareUserKeys(
                                user_key_, KeyOf(UserKeyOf(first_key))) < 0) {
    *done = true;
    return {};
  }
  const BlockPlace place = at.place();
  const bool may_go_on = MaySpan(at);
  if (table_.leveldb_filter.has_value() && !AskOfBlock(place.handle.offset)) {
    *done = !may_go_on;
    return {};
  }
  Status status = table_.data.Load(place, options_, &pinned_);
  if (status.ok()) status = table_.RestoreData(place, Slice(), &pinned_);
  if (!status.ok()) return status;
  ++result_->data_blocks_read;
  block_.Reset(pinned_.view(), place);
  for (bool on_entry = block_.SeekUserKey(target); on_entry;
       on_entry = block_.Next()) {
    if (KeyOf(UserKeyOf(block_.key())) != user_key_) {
      *done = true;
      return {};
    }
    // Of versions with other timestamps, some may be of later writes.
    if (SequenceOf(block_.key()) > snapshot_) [[unlikely]]
      continue;
    status = TakeEntry();
    *done = decided_;
    if (!status.ok() || decided_) return status;
  }
  if (!block_.status().ok()) return block_.status();
  *done = !may_go_on;
  return {};
}

// Whether the data block at this offset may hold the key.
bool PointLookup::AskOfBlock(uint64_t offset) {
  const bool maybe = table_.leveldb_filter->MayMatch(offset, user_key_);
  if (maybe) {
    result_->filter = GetResult::Filter::kMaybe;
  } else if (result_->filter == GetResult::Filter::kNone) {
    result_->filter = GetResult::Filter::kAbsent;
  }
  return maybe;
}

// Whether versions of the key that stand in the block go on in the next one.
// Only an index of internal keys lets a user key, timestamp included, span
// blocks.
bool PointLookup::MaySpan(const IndexCursor& at) const {
  if (table_.index->root().form().user_keys) {
    return table_.order.timestamp_size() != 0 &&
           KeyOf(at.separator()) == user_key_;
  }
  return KeyOf(UserKeyOf(at.separator())) == user_key_;
}

// What is under a range deletion is as if it were not there.
void PointLookup::TakeRangeDeletion() {
  result_->state = GetResult::State::kDeleted;
  result_->type = ValueType::kTypeRangeDeletion;
  result_->sequence = deletion_.sequence;
  result_->timestamp = deletion_.timestamp.ToString();
}

Status PointLookup::TakeEntry() {
  decided_ = true;
  if (SequenceOf(block_.key()) < deletion_.sequence) {
    TakeRangeDeletion();
    return {};
  }
  const ValueType type = TypeOf(block_.key());
  result_->type = type;
  result_->sequence = SequenceOf(block_.key());
  const Slice timestamp =
      TimestampOf(UserKeyOf(block_.key()), table_.order.timestamp_size());
  result_->timestamp.assign(timestamp.data(), timestamp.size());
  switch (type) {
    case ValueType::kTypeValue:
    case ValueType::kTypeSetWithDelete:
      PinValue(block_.value());
      return {};
    case ValueType::kTypeBlobIndex:
      PinValue(block_.value());
      result_->is_blob_index = true;
      return {};
    case ValueType::kTypeWideColumnEntity:
      return TakeEntity();
    case ValueType::kTypeValuePreferredSeqno:
      return TakeTimedValue();
    case ValueType::kTypeDeletion:
    case ValueType::kTypeSingleDeletion:
    case ValueType::kTypeDeletionWithTimestamp:
      result_->state = GetResult::State::kDeleted;
      return {};
    case ValueType::kTypeMerge:
      if (!on_operand_) {
        return Status::MergeInProgress(
            "key " + DescribeInternalKey(block_.key()) +
            " is a merge operand, and there is no callback to take it");
      }
      result_->state = GetResult::State::kMerged;
      decided_ = !on_operand_(block_.value(), result_->sequence);
      return {};
    case ValueType::kTypeRangeDeletion:
      break;
  }
  // The block iterator lets no other types pass.
  return block_.place().Corruption("bad value type",
                                   DescribeInternalKey(block_.key()));
}

Status PointLookup::TakeEntity() {
  const Slice entity = block_.value();
  std::optional<WideColumn> column;
  Status status = FindDefaultColumn(entity, &column);
  if (!status.ok()) return BadValue(status);
  PinValue(column ? column->value : Slice(entity.data(), 0));
  result_->is_blob_index = column && column->is_blob_index;
  result_->entity = entity;
  return {};
}

Status PointLookup::TakeTimedValue() {
  TimedValue timed;
  Status status = DecodeTimedValue(block_.value(), &timed);
  if (!status.ok()) return BadValue(status);
  PinValue(timed.value);
  return {};
}

Status PointLookup::BadValue(const Status& cause) const {
  return block_.place().Wrap("value of " + DescribeInternalKey(block_.key()),
                             cause);
}

// The value keeps its block alive.
void PointLookup::PinValue(const Slice& value) {
  result_->state = GetResult::State::kFound;
  result_->value.Pin(value, pinned_.Release());
}

}  // namespace ashlar::internal

#include "table/read/point_lookup.h"

#include <optional>
#include <string>

#include "table/timed_value.h"
#include "table/wide_columns.h"

namespace ashlar::internal {

Status PointLookup::CheckOptions(const OpenedTable& table,
                                 const ReadOptions& options) {
  Status status = table.CheckTimestamp(options);
  return status.ok() ? table.CheckOrderKnown("Get") : status;
}

Status PointLookup::Run() {
  result_->Reset();
  Status status = CheckOptions(table_, options_);
  if (!status.ok()) return status;
  Begin();
  status = SearchBlocks();
  if (status.ok()) {
    End();
  } else {
    result_->Reset();
  }
  return status;
}

void PointLookup::Begin() {
  target_.Set(table_, user_key_, options_.timestamp, snapshot_);
  if (table_.range_deletions != nullptr && !options_.ignore_range_deletions) {
    deletion_ = table_.range_deletions->fragments.NewestOver(
        user_key_, snapshot_, options_.timestamp);
  }
}

void PointLookup::End() {
  if (!decided_ && deletion_.sequence != 0) TakeRangeDeletion();
}

Status PointLookup::SearchBlocks() {
  bool maybe = true;
  Status status = AskFilter(&maybe);
  if (!status.ok() || !maybe) return status;
  IndexCursor at(table_.index.get());
  return Search(&at, at.Seek(target()));
}

Status PointLookup::AskFilter(bool* maybe) {
  Slice asked;
  const bool has_filter =
      table_.filter.has_value() || table_.filter_partitions != nullptr;
  if (!has_filter || !AsksFilter(&asked)) return {};
  if (table_.filter.has_value()) {
    *maybe = table_.filter->MayMatchBytes(asked);
  } else {
    Status status = table_.filter_partitions->MayMatch(target(), asked, maybe);
    if (!status.ok()) return status;
  }
  TakeFilterAnswer(*maybe);
  return {};
}

Status PointLookup::Search(IndexCursor* at, bool on_block) {
  for (; on_block; on_block = at->Next()) {
    bool done = false;
    if (NeedsBlock(*at, &done)) {
      const BlockPlace place = at->place();
      Status status = table_.data.Load(place, options_, &own_, at->note());
      if (status.ok()) status = table_.RestoreData(place, Slice(), &own_);
      if (!status.ok()) return status;
      Enter(&own_, false);
      status = SearchBlock(*at, &done);
      if (!status.ok()) return status;
    }
    if (done) return {};
  }
  return at->status();
}

void PointLookup::Enter(PinnedBlock* block, bool shared) {
  searched_ = block;
  shared_ = shared;
  place_ = {};
  const CachedDataBlock* const cached = block->cached();
  // Readers of one file may have other comparators of one name: words that one
  // has made by its bytes say nothing to the other.
  if (cached == nullptr || !table_.order.IsOfBytes()) return;
  if (!cached->words().any()) return;
  place_ = cached->words().Find(block->view(), table_.order, user_key_);
}

Status PointLookup::SearchFrom(IndexCursor* at) {
  bool done = false;
  Status status = SearchBlock(*at, &done);
  return !status.ok() || done ? status : Search(at, at->Next());
}

bool PointLookup::NeedsBlock(const IndexCursor& at, bool* done) {
  const Slice first_key = at.first_key();
  if (!first_key.empty() && table_.order_without_timestamps.CompareUserKeys(
                                user_key_, KeyOf(UserKeyOf(first_key))) < 0) {
    *done = true;
    return false;
  }
  if (table_.leveldb_filter.has_value() && !AskOfBlock(at.handle().offset)) {
    *done = !MaySpan(at);
    return false;
  }
  return true;
}

// Looks at the versions that the block holds. *done unless more of them may
// follow in the next one.
Status PointLookup::SearchBlock(const IndexCursor& at, bool* done) {
  ++result_->data_blocks_read;
  return SearchWords(done) ? Status() : SearchEntries(at, done);
}

// False where the words of the block do not tell all.
bool PointLookup::SearchWords(bool* done) {
  if (place_.tells == WordPlace::Tells::kUnknown) return false;
  if (place_.tells == WordPlace::Tells::kEntry) {
    constexpr auto kPut = static_cast<uint8_t>(ValueType::kTypeValue);
    EntryMatch match;
    if (!searched_->cached()->words().Matches(searched_->view(), place_.entry,
                                              user_key_, &match)) {
      return false;
    }
    const SequenceNumber sequence = match.tail >> 8;
    if (static_cast<uint8_t>(match.tail) != kPut || sequence > snapshot_ ||
        sequence < deletion_.sequence) {
      return false;
    }
    decided_ = true;
    result_->type = ValueType::kTypeValue;
    result_->sequence = sequence;
    PinValue(match.value);
  }
  *done = true;
  return true;
}

Status PointLookup::SearchEntries(const IndexCursor& at, bool* done) {
  if (!block_.has_value()) block_.emplace(table_.order);
  // The block may go once its value is handed out.
  const bool may_go_on = MaySpan(at);
  BlockIterator& block = *block_;
  block.Reset(searched_->view(), at.place());
  for (bool on_entry = block.SeekUserKey(target()); on_entry;
       on_entry = block.Next()) {
    if (KeyOf(UserKeyOf(block.key())) != user_key_) {
      *done = true;
      return {};
    }
    // Of versions with other timestamps, some may be of later writes.
    if (SequenceOf(block.key()) > snapshot_) [[unlikely]]
      continue;
    Status status = TakeEntry();
    *done = decided_;
    if (!status.ok() || decided_) return status;
  }
  if (!block.status().ok()) return block.status();
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
  if (SequenceOf(block_->key()) < deletion_.sequence) {
    TakeRangeDeletion();
    return {};
  }
  const ValueType type = TypeOf(block_->key());
  result_->type = type;
  result_->sequence = SequenceOf(block_->key());
  const Slice timestamp =
      TimestampOf(UserKeyOf(block_->key()), table_.order.timestamp_size());
  result_->timestamp.assign(timestamp.data(), timestamp.size());
  switch (type) {
    case ValueType::kTypeValue:
    case ValueType::kTypeSetWithDelete:
      PinValue(block_->value());
      return {};
    case ValueType::kTypeBlobIndex:
      PinValue(block_->value());
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
      if (on_operand_ == nullptr || !*on_operand_) {
        return Status::MergeInProgress(
            "key " + DescribeInternalKey(block_->key()) +
            " is a merge operand, and there is no callback to take it");
      }
      result_->state = GetResult::State::kMerged;
      decided_ = !(*on_operand_)(block_->value(), result_->sequence);
      return {};
    case ValueType::kTypeRangeDeletion:
      break;
  }
  // The block iterator lets no other types pass.
  return block_->place().Corruption("bad value type",
                                    DescribeInternalKey(block_->key()));
}

Status PointLookup::TakeEntity() {
  const Slice entity = block_->value();
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
  Status status = DecodeTimedValue(block_->value(), &timed);
  if (!status.ok()) return BadValue(status);
  PinValue(timed.value);
  return {};
}

Status PointLookup::BadValue(const Status& cause) const {
  return block_->place().Wrap("value of " + DescribeInternalKey(block_->key()),
                              cause);
}

// The value keeps its block alive.
void PointLookup::PinValue(const Slice& value) {
  result_->state = GetResult::State::kFound;
  if (!shared_) {
    result_->value.Pin(value, searched_->Release());
    return;
  }
  Cleanable pin;
  searched_->Share(&pin);
  result_->value.Pin(value, std::move(pin));
}

}  // namespace ashlar::internal

#include "table/read/point_lookup.h"

#include <memory>
#include <optional>
#include <string>

#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "util/mem/thread_spare.h"

namespace ashlar::internal {

namespace {

// The memory for keys that this thread's last lookup had, so that the next one
// needs no allocation.
using SpareKeyMemory = ThreadSpare<Buffer, PointLookup>;

void ShareBlock(void* block, Cleanable* keeper) {
  static_cast<PinnedBlock*>(block)->Share(keeper);
}

using SharedValue = std::shared_ptr<ResolvedValue>;

void ShareResolved(void* resolved, Cleanable* keeper) {
  auto mine =
      std::make_unique<SharedValue>(*static_cast<SharedValue*>(resolved));
  keeper->RegisterCleanup(
      [](void* owner, void*) { delete static_cast<SharedValue*>(owner); },
      mine.release(), nullptr);
}

}  // namespace

void PointLookup::StartIterator() {
  block_.emplace(table_.order);
  block_->GiveKeyMemory(SpareKeyMemory::Take());
}

void PointLookup::KeepKeyMemory() {
  // The thread must not keep the memory of one huge key for ever.
  constexpr size_t kMostKept = size_t{64} << 10;
  Buffer memory = block_->TakeKeyMemory();
  if (memory.capacity() <= kMostKept) SpareKeyMemory::Keep(std::move(memory));
}

Status PointLookup::CheckOptions(const OpenedTable& table,
                                 const ReadOptions& options) {
  Status status = table.CheckTimestamp(options);
  return status.ok() ? table.CheckOrderKnown("Get") : status;
}

Status PointLookup::Run() {
  Status status = CheckOptions(table_, options_);
  if (!status.ok()) return status;
  const LimitScope limits(options_);
  Begin();
  return End(SearchBlocks());
}

Status PointLookup::RunFrom(IndexCursor* at, PinnedBlock* block, bool shared) {
  Begin();
  timed_by_caller_ = true;
  shared_ = shared;
  bool done = false;
  Status status = SearchBlock(*at, block, &done);
  shared_ = false;
  if (status.ok() && !done) {
    const LimitScope limits(options_);
    status = Search(at, at->Next());
  }
  return End(status);
}

Status PointLookup::RunWithoutBlocks() {
  Begin();
  return End({});
}

void PointLookup::Begin() {
  target_.Set(table_, user_key_, options_.timestamp, snapshot_);
  if (!table_.HasRangeDeletions(options_)) return;
  deletion_ = table_.range_deletions->fragments.NewestOver(user_key_, snapshot_,
                                                           options_.timestamp);
}

Status PointLookup::End(const Status& status) {
  if (!status.ok()) {
    result_->Reset();
  } else if (!decided_ && deletion_.sequence != 0) {
    visit_ == nullptr ? TakeRangeDeletion() : VisitRangeDeletion();
  }
  return status;
}

Status PointLookup::SearchBlocks() {
  if (!options_.skip_filters) [[likely]] {
    GetResult::Filter& answer = result_->filter;
    const TableFilter* filter;
    Status status = table_.filter.Need(&filter);
    if (!status.ok()) return status;
    status = filter->AskKey(
        user_key_, target_.slice(), [] {}, timing_context, &answer);
    if (!status.ok() || answer == GetResult::Filter::kAbsent) return status;
  }
  IndexCursor at(&table_.index);
  bool on_block;
  {
    const StageTimer timer(&PerfContext::index_seek_nanos);
    on_block = at.Seek(target_.slice());
  }
  return Search(&at, on_block);
}

Status PointLookup::Search(IndexCursor* at, bool on_block) {
  for (; on_block; on_block = at->Next()) {
    bool done = false;
    if (NeedsBlock(table_, options_, user_key_, *at, result_, &done)) {
      Status status = LoadBlock(*at);
      if (!status.ok()) return status;
      const StageTimer timer(&PerfContext::block_seek_nanos,
                             timed_by_caller_ ? nullptr : timing_context);
      status = SearchBlock(*at, &own_, &done);
      if (!status.ok()) return status;
    }
    if (done) return {};
  }
  return at->status();
}

Status PointLookup::LoadBlock(const IndexCursor& at) {
  const StageTimer timer(&PerfContext::block_load_nanos);
  const BlockPlace place = at.place();
  table_.data.Fetch(at.note());
  Status status = table_.data.Load(place, options_, &own_, at.note());
  return status.ok() ? table_.RestoreData(place, Slice(), &own_) : status;
}

namespace {

// Returns whether versions of the key may go on in the next block. A user key,
// timestamp included, can span blocks only if the index has internal keys.
bool MaySpan(const OpenedTable& table, const Slice& user_key,
             const IndexCursor& at) {
  if (table.properties.index_key_is_user_key != 0 &&
      table.order.timestamp_size() == 0) {
    return false;
  }
  return at.SeparatorHasUserKey(user_key);
}

}  // namespace

bool PointLookup::NeedsBlock(const OpenedTable& table,
                             const ReadOptions& options, const Slice& user_key,
                             const IndexCursor& at, GetResult* result,
                             bool* done) {
  const Slice first_key = at.first_key();
  if (!first_key.empty() &&
      table.order_without_timestamps.CompareUserKeys(
          user_key, WithoutTimestamp(UserKeyOf(first_key),
                                     table.order.timestamp_size())) < 0) {
    *done = true;
    return false;
  }
  if (options.skip_filters) [[unlikely]]
    return true;
  const TableFilter& filter = *table.filter.IfLoaded();
  if (filter.AsksBlocks() &&
      !filter.AskBlock(at.handle().offset, user_key, &result->filter)) {
    *done = !MaySpan(table, user_key, at);
    return false;
  }
  return true;
}

// Looks at the versions of the key in the block. Sets *done unless more of them
// may follow in the next block.
Status PointLookup::SearchBlock(const IndexCursor& at, PinnedBlock* searched,
                                bool* done) {
  ++result_->data_blocks_read;
  searched_ = searched;
  if (!block_.has_value()) StartIterator();
  // Asked first: the block may be gone once its value is handed out.
  const bool may_go_on = MaySpan(table_, user_key_, at);
  BlockIterator& block = *block_;
  block.Reset(searched->view(), at.place());
  for (bool on_entry = block.SeekUserKey(target_.slice()); on_entry;
       on_entry = block.Next()) {
    if (KeyOf(UserKeyOf(block.key())) != user_key_) {
      *done = true;
      return {};
    }
    // Versions with other timestamps may be of later writes.
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

// Makes the result that of a deleted key: the newest range deletion over it
// decides.
void PointLookup::TakeRangeDeletion() {
  result_->state = GetResult::State::kDeleted;
  result_->type = ValueType::kTypeRangeDeletion;
  result_->sequence = deletion_.sequence;
  result_->timestamp = deletion_.timestamp.ToString();
}

Status PointLookup::TakeEntry() {
  if (visit_ != nullptr) [[unlikely]]
    return VisitEntry();
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
  if (table_.blobs != nullptr && EmbeddedBlobs::MayRefer(type)) [[unlikely]] {
    return TakeReference();
  }
  return TakeStored();
}

namespace {

// Returns what a Get says of a key whose newest version has this type.
GetResult::State StateOf(ValueType type) {
  switch (type) {
    case ValueType::kTypeMerge:
      return GetResult::State::kMerged;
    case ValueType::kTypeDeletion:
    case ValueType::kTypeSingleDeletion:
    case ValueType::kTypeDeletionWithTimestamp:
    case ValueType::kTypeRangeDeletion:
      return GetResult::State::kDeleted;
    default:
      return GetResult::State::kFound;
  }
}

}  // namespace

// Passes a version to the visitor, and returns what it returned. Notes in the
// result what is counted of it.
bool PointLookup::Visit(const StoredVersion& version) {
  result_->state = StateOf(version.type);
  result_->type = version.type;
  // Of the bytes, only the number is used.
  result_->value.Pin(version.value, Cleanable());
  return (*visit_)(version);
}

bool PointLookup::VisitByWords(const WordPlace& place, PinnedBlock* block) {
  if (place.tells == WordPlace::Tells::kUnknown) return false;
  if (place.tells == WordPlace::Tells::kEntry) {
    EntryMatch match;
    if (!block->cached()->words().Matches(block->view(), place.entry, user_key_,
                                          &match)) {
      return false;
    }
    const SequenceNumber sequence = match.tail >> 8;
    const auto type = static_cast<uint8_t>(match.tail);
    if (sequence > snapshot_ || !IsDataBlockType(type) ||
        table_.blobs != nullptr) {
      return false;
    }
    if (Visit({sequence, static_cast<ValueType>(type), Slice(),
               BlockBytes(match.value, ShareBlock, block)})) {
      passed_tail_ = match.tail;
      return false;
    }
  }
  ++result_->data_blocks_read;
  return true;
}

void PointLookup::VisitRangeDeletion() {
  decided_ = true;
  const bool any_before = result_->state != GetResult::State::kNotFound;
  const ValueType type_before = result_->type;
  Visit({deletion_.sequence, ValueType::kTypeRangeDeletion, deletion_.timestamp,
         BlockBytes(Slice(), nullptr, nullptr)});
  // A filter that let the key pass was right if the key has versions.
  if (any_before) result_->type = type_before;
}

Status PointLookup::VisitEntry() {
  decided_ = false;
  const Slice key = block_->key();
  if (TailOf(key) >= passed_tail_) return {};
  if (SequenceOf(key) < deletion_.sequence) {
    // Versions with older timestamps may be of later writes.
    if (table_.order.timestamp_size() == 0) VisitRangeDeletion();
    return {};
  }
  if (table_.blobs != nullptr && EmbeddedBlobs::MayRefer(TypeOf(key)))
      [[unlikely]] {
    return VisitReference();
  }
  decided_ = !Visit({SequenceOf(key), TypeOf(key),
                     TimestampOf(UserKeyOf(key), table_.order.timestamp_size()),
                     BlockBytes(block_->value(), ShareBlock, searched_)});
  return {};
}

// Visits an entry that may refer to embedded blobs.
Status PointLookup::VisitReference() {
  const Slice key = block_->key();
  auto resolved = std::make_shared<ResolvedValue>();
  Status status = table_.blobs->Resolve(key, block_->value(), options_,
                                        /*window=*/nullptr, resolved.get());
  if (!status.ok()) return status;
  const bool followed = resolved->followed();
  const BlockBytes value =
      followed ? BlockBytes(resolved->value(), ShareResolved, &resolved)
               : BlockBytes(block_->value(), ShareBlock, searched_);
  decided_ = !Visit({SequenceOf(key), followed ? resolved->type() : TypeOf(key),
                     TimestampOf(UserKeyOf(key), table_.order.timestamp_size()),
                     value});
  return {};
}

Status PointLookup::TakeStored() {
  const ValueType type = TypeOf(block_->key());
  switch (type) {
    case ValueType::kTypeValue:
    case ValueType::kTypeSetWithDelete:
      TakeValue(block_->value());
      return {};
    case ValueType::kTypeBlobIndex:
      TakeValue(block_->value());
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
      decided_ =
          !(*on_operand_)(MergeOperand(block_->value(), ShareBlock, searched_),
                          result_->sequence);
      return {};
    case ValueType::kTypeRangeDeletion:
      break;
  }
  // The block iterator returns no other types.
  return block_->place().Corruption("bad value type",
                                    DescribeInternalKey(block_->key()));
}

// Takes an entry that may refer to embedded blobs.
Status PointLookup::TakeReference() {
  auto resolved = std::make_unique<ResolvedValue>();
  Status status =
      table_.blobs->Resolve(block_->key(), block_->value(), options_,
                            /*window=*/nullptr, resolved.get());
  if (!status.ok()) return status;
  if (!resolved->followed()) return TakeStored();
  Slice value = resolved->value();
  result_->type = resolved->type();
  if (resolved->type() == ValueType::kTypeWideColumnEntity) {
    std::optional<WideColumn> column;
    status = FindDefaultColumn(value, &column);
    if (!status.ok()) return BadValue(status);
    result_->entity = value;
    result_->is_blob_index = column && column->is_blob_index;
    value = column ? column->value : Slice(value.data(), 0);
  }
  Cleanable pin;
  pin.RegisterCleanup(
      [](void* owner, void*) { delete static_cast<ResolvedValue*>(owner); },
      resolved.release(), nullptr);
  result_->state = GetResult::State::kFound;
  result_->value.Pin(value, std::move(pin));
  return {};
}

Status PointLookup::TakeEntity() {
  const Slice entity = block_->value();
  std::optional<WideColumn> column;
  Status status = FindDefaultColumn(entity, &column);
  if (!status.ok()) return BadValue(status);
  TakeValue(column ? column->value : Slice(entity.data(), 0));
  result_->is_blob_index = column && column->is_blob_index;
  result_->entity = entity;
  return {};
}

Status PointLookup::TakeTimedValue() {
  TimedValue timed;
  Status status = DecodeTimedValue(block_->value(), &timed);
  if (!status.ok()) return BadValue(status);
  TakeValue(timed.value);
  return {};
}

Status PointLookup::BadValue(const Status& cause) const {
  return block_->place().Wrap("value of " + DescribeInternalKey(block_->key()),
                              cause);
}

}  // namespace ashlar::internal

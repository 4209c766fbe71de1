#include "found_entry.h"

#include "conversions.h"
#include "db/pinned_iterators_manager.h"

namespace ashlar_rocksdb {

bool FoundEntry::PinsOperands() const {
  rocksdb::PinnedIteratorsManager* pins = get_context_->pinned_iters_mgr();
  return pins != nullptr && pins->PinningEnabled();
}

bool FoundEntry::TakeOperand(const ashlar::MergeOperand& operand,
                             ashlar::SequenceNumber sequence) {
  const rocksdb::ParsedInternalKey key(user_key_, sequence,
                                       rocksdb::kTypeMerge);
  rocksdb::Cleanable pinner;
  const bool pins = PinsOperands();
  if (pins) {
    ashlar::PinnableSlice pinned;
    operand.Pin(&pinned);
    pinned.HandPinTo(&pinner);
  }
  bool matched = false;
  return get_context_->SaveValue(key, ToRocksDB(operand), &matched,
                                 &read_status_, pins ? &pinner : nullptr);
}

rocksdb::Status FoundEntry::Take(const ashlar::Status& status,
                                 ashlar::GetResult* result) {
  if (!status.ok()) [[unlikely]]
    return End(status);
  using State = ashlar::GetResult::State;
  if (result->state == State::kNotFound || result->state == State::kMerged) {
    return read_status_;
  }
  auto type = static_cast<rocksdb::ValueType>(result->type);
  // Ashlar has taken the preferred sequence number off the value.
  if (type == rocksdb::kTypeValuePreferredSeqno) type = rocksdb::kTypeValue;
  const rocksdb::ParsedInternalKey key(KeyAt(result->timestamp),
                                       result->sequence, type);
  const ashlar::Slice entity = result->entity;
  rocksdb::Cleanable pinner;
  ashlar::Slice value;
  if (result->state == State::kFound) value = result->value.HandPinTo(&pinner);
  if (type == rocksdb::kTypeWideColumnEntity) value = entity;
  bool matched = false;
  get_context_->SaveValue(key, ToRocksDB(value), &matched, &read_status_,
                          &pinner);
  return read_status_;
}

bool FoundEntry::TakeVersion(const ashlar::StoredVersion& version) {
  any_version_ = true;
  const rocksdb::ParsedInternalKey key(
      KeyAt(version.timestamp), version.sequence,
      static_cast<rocksdb::ValueType>(version.type));
  ashlar::PinnableSlice value;
  version.value.Pin(&value);
  return Save(key, &value);
}

bool FoundEntry::TakeEntry(ashlar::Iterator* walk) {
  const rocksdb::ParsedInternalKey key(
      ToRocksDB(walk->user_key()), walk->sequence(),
      static_cast<rocksdb::ValueType>(walk->type()));
  ashlar::PinnableSlice value;
  const ashlar::Status status = walk->PinValue(&value);
  if (!status.ok()) {
    read_status_ = ToRocksDB(status);
    return false;
  }
  return Save(key, &value);
}

bool FoundEntry::Save(const rocksdb::ParsedInternalKey& key,
                      ashlar::PinnableSlice* value) {
  rocksdb::Cleanable pinner;
  const ashlar::Slice bytes = value->HandPinTo(&pinner);
  bool matched = false;
  const bool wants_more = get_context_->SaveValue(
      key, ToRocksDB(bytes), &matched, &read_status_, &pinner);
  return wants_more && read_status_.ok();
}

rocksdb::Slice FoundEntry::KeyAt(const ashlar::Slice& timestamp) {
  if (timestamp.empty()) return user_key_;
  with_timestamp_.assign(user_key_.data(), user_key_.size() - timestamp.size());
  with_timestamp_.append(timestamp.data(), timestamp.size());
  return with_timestamp_;
}

rocksdb::Status FoundEntry::End(const ashlar::Status& status) {
  if (status.ok()) return read_status_;
  // RocksDB's KeyMayExist goes by it.
  if (status.IsIncomplete()) get_context_->MarkKeyMayExist();
  return ToRocksDB(status);
}

}  // namespace ashlar_rocksdb

#include "table/user/shown_value.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "ashlar/table/entry/timed_value.h"

namespace ashlar::internal {

std::vector<Slice> Operands::Slices(bool reversed) const {
  std::vector<Slice> slices;
  slices.reserve(parts_.size());
  for (const Part& part : parts_) {
    slices.push_back(
        part.stays ? part.bytes
                   : Slice(copies_.data() + part.begin, part.bytes.size()));
  }
  if (reversed) std::reverse(slices.begin(), slices.end());
  return slices;
}

Status ShownValue::Fetch(const Slice& user_key, const Slice& index,
                         Slice* value) {
  std::string& blob = fetched_.emplace_back();
  Status got = fetch_blob_(user_key, index, &blob);
  *value = blob;
  is_own_ = true;
  return got;
}

Status ShownValue::Show(const Slice& user_key, const StoredValue& stored) {
  Reset();
  Status status;
  Slice value = stored.bytes;
  switch (stored.type) {
    case ValueType::kTypeValuePreferredSeqno: {
      TimedValue timed;
      status = DecodeTimedValue(stored.bytes, &timed);
      value = timed.value;
      break;
    }
    case ValueType::kTypeBlobIndex:
      is_blob_index_ = !fetch_blob_;
      if (fetch_blob_) status = Fetch(user_key, stored.bytes, &value);
      break;
    case ValueType::kTypeWideColumnEntity:
      return ShowEntity(user_key, stored.bytes);
    default:
      break;
  }
  if (status.ok()) SetPlain(value);
  return status;
}

Status ShownValue::ShowEntity(const Slice& user_key, const Slice& entity) {
  value_ = Slice();
  Status status = DecodeWideColumns(entity, &columns_);
  for (WideColumn& column : columns_) {
    if (!status.ok()) break;
    if (column.is_blob_index && fetch_blob_) {
      status = Fetch(user_key, column.value, &column.value);
      column.is_blob_index = false;
    }
    if (!column.name.empty()) continue;
    value_ = column.value;
    is_blob_index_ = column.is_blob_index;
  }
  return status;
}

// Sets what the operands apply to.
Status ShownValue::ReadBase(const Slice& user_key, const StoredValue& base,
                            MergeOperator::MergeInput* merge) {
  Status read = Show(user_key, base);
  if (!read.ok()) return read;
  const bool refers =
      std::ranges::any_of(columns(), &WideColumn::is_blob_index);
  if (refers) {
    return Status::NotSupported(
        "a blob index is beneath merge operands, but fetch_blob is empty");
  }
  if (base.type == ValueType::kTypeWideColumnEntity) {
    merge->existing_value = std::span<const WideColumn>(columns_);
  } else {
    merge->existing_value = value_;
  }
  return {};
}

Status ShownValue::ShowMerged(const Slice& user_key, const StoredValue* base,
                              std::span<const Slice> operands) {
  Reset();
  if (merge_operator_ == nullptr) {
    return Status::InvalidArgument(
        "a key has merge operands, but merge_operator is null");
  }
  MergeOperator::MergeInput merge;
  merge.key = user_key;
  merge.operands = operands;
  if (base != nullptr) {
    Status read = ReadBase(user_key, *base, &merge);
    if (!read.ok()) return read;
  }
  MergeOperator::MergeOutput output;
  if (!merge_operator_->FullMerge(merge, &output)) {
    return Status::Corruption("merge operator " +
                              std::string(merge_operator_->Name()) + " failed");
  }
  return TakeResult(&output);
}

Status ShownValue::TakeResult(MergeOperator::MergeOutput* output) {
  if (auto* bytes = std::get_if<std::string>(&output->new_value)) {
    result_ = std::move(*bytes);
  } else if (const auto* slice = std::get_if<Slice>(&output->new_value)) {
    result_.assign(slice->data(), slice->size());
  } else {
    std::vector<WideColumn> columns;
    for (const auto& [name, value] :
         std::get<MergeOperator::NewColumns>(output->new_value)) {
      columns.push_back({name, value});
    }
    std::string entity;
    Status encoded = EncodeWideColumns(std::move(columns), &entity);
    if (!encoded.ok()) return encoded;
    result_ = std::move(entity);
    Reset();
    is_own_ = true;
    return ShowEntity(Slice(), result_);
  }
  Reset();
  is_own_ = true;
  SetPlain(result_);
  return {};
}

}  // namespace ashlar::internal

#include "table/block/data_block_builder.h"

namespace ashlar::internal {

namespace {

// The largest block that a hash index can address.
constexpr size_t kMaxHashedBlockBytes = size_t{1} << 16;

}  // namespace

void DataBlockBuilder::Start() {
  block_.Start();
  values_.clear();
  if (hash_index_.has_value()) hash_index_->StartBlock();
  CountExtraBytes();
}

void DataBlockBuilder::CountExtraBytes() {
  if (separated_) {
    extra_bytes_ = sizeof(uint32_t) + values_.size();
    more_restart_bytes_ = VarintLength(values_.size());
  } else {
    extra_bytes_ = 0;
  }
  if (hash_index_.has_value()) extra_bytes_ += hash_index_->Size();
}

void DataBlockBuilder::AddToForm(const Slice& user_key, uint64_t tail,
                                 size_t shared, const Slice& value) {
  if (separated_) {
    block_.AddWithoutValue(user_key, tail, shared, value.size(),
                           values_.size());
    values_.Append(value);
  } else {
    block_.Add(user_key, tail, shared, value);
  }
  if (hash_index_.has_value()) {
    hash_index_->Add(user_key, block_.num_restarts() - 1);
  }
  CountExtraBytes();
}

Slice DataBlockBuilder::Finish() {
  if (plain_) return block_.Finish();
  const bool hashed = hash_index_.has_value() && hash_index_->Size() != 0 &&
                      SizeEstimate() <= kMaxHashedBlockBytes;
  const size_t values_offset = block_.EntriesSize();
  out_->Append(values_.slice());
  uint32_t packed = block_.AppendRestarts();
  if (hashed) {
    hash_index_->AppendTo(out_);
    packed |= kHashIndexFlag;
  }
  char word[sizeof(uint32_t)];
  if (separated_) {
    StoreFixed32(word, static_cast<uint32_t>(values_offset));
    out_->Append(Slice(word, sizeof word));
    packed |= kSeparatedFlag;
  }
  StoreFixed32(word, packed);
  out_->Append(Slice(word, sizeof word));
  return block_.Whole();
}

}  // namespace ashlar::internal

#include "table/index/index_cursor.h"

namespace ashlar::internal {

// Begins a seek. Returns false if the index cannot be loaded.
bool IndexCursor::HasIndex() {
  if (index_ == nullptr) {
    status_ = late_index_->Need(&index_);
  } else if (!status_.ok()) {
    status_ = Status();
  }
  return index_ != nullptr;
}

// Makes part `number` the current one. Returns false if it cannot be read.
bool IndexCursor::Enter(size_t number) {
  if (part_ != nullptr && number == part_number_) return true;
  std::optional<uint64_t> blocks_before;
  if (number == 0) {
    blocks_before = 0;
  } else if (part_ != nullptr && number == part_number_ + 1 &&
             blocks_before_part_.has_value()) {
    blocks_before = *blocks_before_part_ + part_->size();
  }
  IndexHold part;
  status_ = index_->Part(number, &part);
  if (!status_.ok()) {
    part_ = nullptr;
    return false;
  }
  if (part_ != nullptr && number + 1 == part_number_ &&
      blocks_before_part_.has_value()) {
    blocks_before = *blocks_before_part_ - part->size();
  }
  hold_ = std::move(part);
  part_ = hold_.get();
  part_number_ = number;
  blocks_before_part_ = blocks_before;
  return true;
}

bool IndexCursor::FirstOfPart(size_t number) {
  if (number >= index_->num_parts() || !Enter(number)) return false;
  at_ = 0;
  return part_->size() != 0;
}

bool IndexCursor::LastOfPartBefore() {
  if (part_number_ == 0 || !Enter(part_number_ - 1)) return false;
  at_ = part_->size() - 1;
  return true;
}

bool IndexCursor::SeekToFirst() { return HasIndex() && FirstOfPart(0); }

bool IndexCursor::SeekToLast() {
  if (!HasIndex()) return false;
  const size_t parts = index_->num_parts();
  if (parts == 0 || !Enter(parts - 1) || part_->size() == 0) return false;
  at_ = part_->size() - 1;
  return true;
}

bool IndexCursor::Seek(const Slice& internal_key) {
  if (!HasIndex()) return false;
  const size_t number = index_->FindPart(internal_key);
  if (number == index_->num_parts() || !Enter(number)) return false;
  at_ = part_->Find(internal_key);
  // The root's separator may be after the part's own last one.
  return at_ < part_->size() || FirstOfPart(number + 1);
}

bool IndexCursor::MoveTo(const IndexCursor& other) {
  if (!HasIndex() || !Enter(other.part_number_)) return false;
  blocks_before_part_ = other.blocks_before_part_;
  at_ = other.at_;
  return at_ < part_->size();
}

}  // namespace ashlar::internal

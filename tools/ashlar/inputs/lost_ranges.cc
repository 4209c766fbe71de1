#include "tools/ashlar/inputs/lost_ranges.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/internal_key.h"

namespace ashlar::tool {

LostRange LostRanges::RangeOf(const BlockInfo& block) {
  LostRange range;
  range.kind = block.kind;
  range.index = block.index;
  range.offset = block.offset;
  range.size = block.size;
  return range;
}

void LostRanges::OnBlock(const BlockInfo& block) {
  if (block.kind == BlockKind::kIndexPartition) has_partitions_ = true;
  if (block.kind == BlockKind::kIndex) has_index_ = true;
  if (block.kind == BlockKind::kData) BeginDataBlock(block);
  if (block.contents_sound) return;
  switch (block.kind) {
    case BlockKind::kData:
      Lose(block, has_partitions_ ? partitions_ : top_, block.index);
      return;
    case BlockKind::kIndexPartition:
      Lose(block, top_, block.index);
      return;
    case BlockKind::kIndex:
    case BlockKind::kMetaIndex:
      ranges_.push_back(RangeOf(block));
      return;
    case BlockKind::kRangeDeletion:
      ranges_.push_back(RangeOf(block));
      ranges_.back().only_range_deletions = true;
      return;
    default:
      return;
  }
}

// If the metaindex is lost, so are the range deletions. In newer format
// versions, the index is lost too.
void LostRanges::Finish() {
  if (inspection_.looked_for_blocks) {
    // What was below these blocks has been found, or is among the lost bytes.
    std::erase_if(ranges_, [](const LostRange& range) {
      return range.kind == BlockKind::kIndex ||
             range.kind == BlockKind::kIndexPartition ||
             range.kind == BlockKind::kMetaIndex;
    });
    TakeLostBytes();
    CountRangeDeletions();
    return;
  }
  bool all_lost = false;
  for (LostRange& range : ranges_) {
    if (range.kind != BlockKind::kMetaIndex) continue;
    range.only_range_deletions = has_index_;
    all_lost = !has_index_;
  }
  if (has_index_ || all_lost) return;
  LostRange range;
  range.kind = BlockKind::kIndex;
  ranges_.push_back(std::move(range));
}

// Lost bytes do not say that range deletions were among them. The properties
// say how many there were.
void LostRanges::CountRangeDeletions() {
  const auto& properties = inspection_.properties;
  const bool has_said_so = std::any_of(
      ranges_.begin(), ranges_.end(),
      [](const LostRange& range) { return range.only_range_deletions; });
  if (!properties || has_said_so ||
      properties->num_range_deletions <= range_deletions_) {
    return;
  }
  LostRange range;
  range.kind = BlockKind::kRangeDeletion;
  range.only_range_deletions = true;
  ranges_.push_back(std::move(range));
}

// The inspection knows all lost bytes before it shows a data block.
void LostRanges::TakeLostBytes() {
  if (!bytes_.empty()) return;
  for (const FileBytes& range : inspection_.lost_bytes) {
    bytes_.push_back({range.offset, range.size, std::nullopt, std::nullopt});
  }
}

void LostRanges::BeginDataBlock(const BlockInfo& block) {
  TakeLostBytes();
  if (block.offset < last_offset_) {
    // Blocks have changed places, so neighbours in the file say nothing.
    in_file_order_ = false;
    for (LostBytes& range : bytes_) range.after = range.before = std::nullopt;
  }
  last_offset_ = block.offset;
  while (in_file_order_ && bytes_passed_ < bytes_.size() &&
         bytes_[bytes_passed_].offset < block.offset) {
    bytes_[bytes_passed_++].after = last_key_;
  }
}

void LostRanges::OnDataKey(const Slice& key) {
  if (bytes_.empty() || !in_file_order_) return;
  while (bytes_ended_ < bytes_passed_) {
    bytes_[bytes_ended_++].before = UserKeyOf(key).ToString();
  }
  if (bytes_passed_ == bytes_.size()) return;
  const Slice user_key = UserKeyOf(key);
  if (!last_key_.has_value()) last_key_.emplace();
  last_key_->assign(user_key.data(), user_key.size());
}

void LostRanges::OnEntry(const BlockInfo& block, const Slice& key) {
  if (block.kind == BlockKind::kData) {
    OnDataKey(key);
  } else if (block.kind == BlockKind::kRangeDeletion) {
    ++range_deletions_;
  } else if (block.kind == BlockKind::kIndexPartition) {
    partitions_.push_back(key.ToString());
  } else if (block.kind == BlockKind::kIndex) {
    top_.push_back(key.ToString());
    // The index can be read only up to a damaged place. What comes after it is
    // lost.
    if (!block.status.ok()) ranges_.back().begin = top_.back();
  }
}

void LostRanges::Lose(const BlockInfo& block,
                      const std::vector<std::string>& separators,
                      uint64_t ordinal) {
  LostRange range = RangeOf(block);
  if (ordinal > 0 && ordinal <= separators.size()) {
    range.begin = separators[ordinal - 1];
  }
  if (ordinal < separators.size()) range.last = separators[ordinal];
  ranges_.push_back(std::move(range));
}

}  // namespace ashlar::tool

#include "tools/ashlar/inputs/lost_ranges.h"

#include <utility>

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

void LostRanges::OnEntry(const BlockInfo& block, const Slice& key) {
  if (block.kind == BlockKind::kIndexPartition) {
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

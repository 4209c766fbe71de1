#include "table/walk/moved_blocks.h"

#include <algorithm>
#include <cstdlib>

#include "table/format/block_trailer.h"

namespace ashlar::internal {

namespace {

bool Overlap(const BlockHandle& a, const BlockHandle& b) {
  return a.offset < b.End() && b.offset < a.End();
}

}  // namespace

std::optional<int64_t> MoveOf(uint32_t base, uint32_t modifier,
                              uint64_t offset) {
  constexpr int64_t kFarthest = int64_t{1} << 31;
  if (base == 0) return std::nullopt;
  // The sum of both halves of the offset at which the block was written.
  const uint32_t sum = base ^ modifier;
  const auto high_here = static_cast<uint32_t>(offset >> 32);
  std::optional<int64_t> nearest;
  for (const int step : {-1, 0, 1}) {
    if (step < 0 && high_here == 0) continue;
    const uint32_t high = high_here + static_cast<uint32_t>(step);
    const uint64_t written = (uint64_t{high} << 32) | (sum - high);
    const auto move = static_cast<int64_t>(written - offset);
    if (std::abs(move) < std::abs(nearest.value_or(kFarthest))) nearest = move;
  }
  return nearest;
}

bool MovedBlocks::Expects(const FoundBlock& block) {
  if (std::find(proven_.begin(), proven_.end(), block.move) != proven_.end()) {
    return true;
  }
  bool is_known = false;
  for (const FoundBlock& other : recent_) {
    is_known = is_known || other.handle == block.handle;
    if (other.move != block.move || Overlap(other.handle, block.handle)) {
      continue;
    }
    if (proven_.size() == kMostProven) proven_.erase(proven_.begin());
    proven_.push_back(block.move);
    ++proofs_;
    return true;
  }
  last_alone_ = block;
  if (is_known) return false;
  if (recent_.size() == kMostCompared) recent_.erase(recent_.begin());
  recent_.push_back(block);
  if (alone_.size() < kMostAlone) alone_.push_back(block);
  return false;
}

}  // namespace ashlar::internal

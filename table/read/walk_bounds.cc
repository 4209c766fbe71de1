#include "table/read/walk_bounds.h"

namespace ashlar::internal {

WalkBounds::WalkBounds(const OpenedTable& table, const Slice* lower,
                       const Slice* upper)
    : order_(table.order) {
  const auto before_all = [&](const Slice& user_key) {
    std::string key;
    table.AppendTarget(user_key, Slice(), kMaxSequenceNumber, &key);
    return key;
  };
  if (lower != nullptr) lower_ = before_all(*lower);
  if (upper != nullptr) upper_ = before_all(*upper);
  exclude_all_ = lower_ && upper_ && order_.Compare(*lower_, *upper_) >= 0;
}

bool WalkBounds::Narrow(const IndexCursor& at, BlockIterator* block,
                        bool* cut_above) const {
  *cut_above = false;
  const bool ends_here = upper_ && at.CompareSeparator(*upper_) >= 0;
  const bool cut_below = lower_ && at.CompareSeparatorBefore(*lower_) < 0;
  if (!ends_here && !cut_below) return true;
  uint32_t begin = 0;
  uint32_t end = block->entries_size();
  if (ends_here && block->Seek(*upper_)) {
    *cut_above = true;
    end = block->offset();
  }
  if (!block->status().ok()) return false;
  if (cut_below) begin = block->Seek(*lower_) ? block->offset() : end;
  if (!block->status().ok()) return false;
  block->Narrow(begin, end);
  return true;
}

}  // namespace ashlar::internal

#include "table/read/walk_bounds.h"

namespace ashlar::internal {

WalkBounds::WalkBounds(const OpenedTable& table, const ReadOptions& options)
    : order_(table.order) {
  const auto before_all = [&](const Slice& user_key) {
    std::string key;
    table.AppendTarget(user_key, Slice(), kMaxSequenceNumber, &key);
    return key;
  };
  if (options.iterate_lower_bound != nullptr) {
    lower_ = before_all(*options.iterate_lower_bound);
  }
  if (options.iterate_upper_bound != nullptr) {
    upper_ = before_all(*options.iterate_upper_bound);
  }
  exclude_all_ = lower_ && upper_ && order_.Compare(*lower_, *upper_) >= 0;
}

bool WalkBounds::Narrow(const IndexCursor& at, BlockIterator* block) const {
  const bool cut_above = upper_ && at.CompareSeparator(*upper_) >= 0;
  const bool cut_below = lower_ && at.CompareSeparatorBefore(*lower_) < 0;
  if (!cut_above && !cut_below) return true;
  uint32_t begin = 0;
  uint32_t end = block->entries_size();
  if (cut_above && block->Seek(*upper_)) end = block->offset();
  if (!block->status().ok()) return false;
  if (cut_below) begin = block->Seek(*lower_) ? block->offset() : end;
  if (!block->status().ok()) return false;
  block->Narrow(begin, end);
  return true;
}

}  // namespace ashlar::internal

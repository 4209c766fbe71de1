// WalkBounds: where an iterator's walk begins and ends, by its options.
//
// Asked once a block, not once an entry: most blocks lie inside the bounds as
// their separators tell, or outside and are not even loaded. Of a block that a
// bound cuts, the walk gets the part that is inside, by the places where its
// entries begin.
//
// Part of an iterator; never changes.
#ifndef ASHLAR_TABLE_READ_WALK_BOUNDS_H_
#define ASHLAR_TABLE_READ_WALK_BOUNDS_H_

#include <optional>
#include <string>

#include "ashlar/table/options.h"
#include "ashlar/util/slice.h"
#include "table/block/block_iterator.h"
#include "table/index/index_cursor.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

class WalkBounds {
 public:
  // Copies the bounds. Without a known order there must be none.
  WalkBounds(const OpenedTable& table, const ReadOptions& options);

  // Where entries that may be shown begin and where those behind them do, as
  // internal keys that stand before all versions of the bound.
  const std::optional<std::string>& lower() const { return lower_; }
  const std::optional<std::string>& upper() const { return upper_; }
  // No key lies within them.
  bool exclude_all() const { return exclude_all_; }
  bool ExcludeAsSmaller(const Slice& internal_key) const {
    return lower_ && order_.Compare(internal_key, *lower_) < 0;
  }
  bool ExcludeAsLarger(const Slice& internal_key) const {
    return upper_ && order_.Compare(internal_key, *upper_) >= 0;
  }
  // Whether all of the block that the cursor stands on, and of those that come
  // before it or behind it, is outside.
  bool EndBefore(const IndexCursor& at) const {
    return upper_ && at.CompareSeparatorBefore(*upper_) >= 0;
  }
  bool BeginBehind(const IndexCursor& at) const {
    return lower_ && at.CompareSeparator(*lower_) < 0;
  }
  // Leaves the walk over the cursor's block, which has just begun, the entries
  // inside. False where damage was met.
  bool Narrow(const IndexCursor& at, BlockIterator* block) const;

 private:
  KeyOrder order_;
  std::optional<std::string> lower_;
  std::optional<std::string> upper_;
  bool exclude_all_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_WALK_BOUNDS_H_

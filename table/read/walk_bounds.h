// WalkBounds: where an iterator's walk begins and ends, by its options.
//
// It is asked once per block, not once per entry. Most blocks are inside the
// bounds, as their separators show, or outside and not even loaded. In a block
// that a bound cuts, the walk gets the part that is inside, by the offsets
// where its entries begin.
//
// Part of an iterator. Changes only as a whole, between two walks.
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
  // Copies the bounds; null: none. Requires: there are none unless the order is
  // known.
  WalkBounds(const OpenedTable& table, const Slice* lower, const Slice* upper);

  // Where the entries inside begin, and where those after them begin: internal
  // keys before all versions of the bound.
  const std::optional<std::string>& lower() const { return lower_; }
  const std::optional<std::string>& upper() const { return upper_; }
  // Returns whether there is a bound.
  bool any() const { return lower_.has_value() || upper_.has_value(); }
  // Returns whether no key can be inside.
  bool exclude_all() const { return exclude_all_; }
  bool ExcludeAsSmaller(const Slice& internal_key) const {
    return lower_ && order_.Compare(internal_key, *lower_) < 0;
  }
  bool ExcludeAsLarger(const Slice& internal_key) const {
    return upper_ && order_.Compare(internal_key, *upper_) >= 0;
  }
  // EndBefore returns whether the cursor's block, and all blocks after it, are
  // outside; BeginBehind whether that block, and all before it, are.
  bool EndBefore(const IndexCursor& at) const {
    return upper_ && at.CompareSeparatorBefore(*upper_) >= 0;
  }
  bool BeginBehind(const IndexCursor& at) const {
    return lower_ && at.CompareSeparator(*lower_) < 0;
  }
  // Narrows `block`, whose walk over the cursor's block has just begun, to the
  // entries inside. Sets *cut_above to whether the block has entries that are
  // too large. Returns false if it met damage.
  bool Narrow(const IndexCursor& at, BlockIterator* block,
              bool* cut_above) const;

 private:
  KeyOrder order_;
  std::optional<std::string> lower_;
  std::optional<std::string> upper_;
  bool exclude_all_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_WALK_BOUNDS_H_

// RestartPoints: checks that the restart points of a block are what a search
// takes them for.
//
// A search of a block goes from restart point to restart point, and walks on
// from one of them. So at each an entry must begin, and that entry must have
// its whole key. A walk from the first entry to the last uses no restart point,
// and so does not notice a wrong one. How many entries there are between two
// restart points is left to the writer. They are compared with the entries as
// these are passed, which costs next to nothing. One thread at a time.
#ifndef ASHLAR_TABLE_INSPECT_RESTART_POINTS_H_
#define ASHLAR_TABLE_INSPECT_RESTART_POINTS_H_

#include <cstdint>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/block/block.h"
#include "table/format/block_place.h"

namespace ashlar::internal {

class RestartPoints {
 public:
  // Requires: the block outlives this.
  explicit RestartPoints(const BlockView& view) : view_(view) {}

  // To be called for each entry, in order. `offset` is where it begins;
  // `shared` is how many bytes its key shares with the key before.
  void Pass(uint32_t offset, uint32_t shared) {
    if (next_ < view_.num_restarts && offset >= view_.RestartOffset(next_)) {
      PassNext(offset, shared);
    }
    last_entry_ = offset;
  }
  // Returns the number of the restart interval of the entry that was passed
  // last.
  uint32_t interval() const { return next_ - 1; }
  // To be called after the last entry. Returns ok, or Corruption that names the
  // first wrong restart point.
  Status Judge(const BlockPlace& place) const;

 private:
  void PassNext(uint32_t offset, uint32_t shared);

  const BlockView& view_;
  uint32_t next_ = 0;  // the next restart point
  uint32_t last_entry_ = 0;
  // The first wrong restart point, and the entries that it was compared with.
  bool is_wrong_ = false;
  uint32_t wrong_ = 0;
  uint32_t entry_before_ = 0;
  uint32_t entry_ = 0;
  uint32_t shared_ = 0;
};

// Does the same for a whole block: metaindex, properties or range deletions.
// Requires: its entries are sound.
Status CheckRestartPoints(const Slice& contents, const BlockPlace& place);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_RESTART_POINTS_H_

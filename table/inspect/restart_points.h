// RestartPoints: whether the restart points of a block are what a search takes
// them for.
//
// A search of a block goes from restart point to restart point, and walks on
// from one of them. So at each an entry must begin, and that entry must have
// its whole key. A walk from the first entry to the last needs no restart
// point, and so does not notice a wrong one. How many entries stand between two
// restart points is left to the writer. Compared with the entries as these are
// passed, which costs next to nothing. One thread at a time.
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
  // The block must outlive this.
  explicit RestartPoints(const BlockView& view) : view_(view) {}

  // To be called for each entry, in order: where it begins, and how many bytes
  // of its key it shares with the one before.
  void Pass(uint32_t offset, uint32_t shared) {
    if (next_ < view_.num_restarts && offset >= view_.RestartOffset(next_)) {
      PassNext(offset, shared);
    }
    last_entry_ = offset;
  }
  // The number of the restart interval that the entry passed last is in.
  uint32_t interval() const { return next_ - 1; }
  // To be called after the last entry. Corruption names the first restart point
  // that is wrong.
  Status Judge(const BlockPlace& place) const;

 private:
  void PassNext(uint32_t offset, uint32_t shared);

  const BlockView& view_;
  uint32_t next_ = 0;  // restart point
  uint32_t last_entry_ = 0;
  // The first one that is wrong, and what it was compared with.
  bool is_wrong_ = false;
  uint32_t wrong_ = 0;
  uint32_t entry_before_ = 0;
  uint32_t entry_ = 0;
  uint32_t shared_ = 0;
};

// The same for a whole block of entries with whole values, whose entries are
// sound: metaindex, properties and range deletions.
Status CheckRestartPoints(const Slice& contents, const BlockPlace& place);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_RESTART_POINTS_H_

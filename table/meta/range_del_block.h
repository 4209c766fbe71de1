// The range deletion block: the range deletions of a table, in any order.
//
//   internal key of begin, type 0x0F  ->  end, a user key
//
// It is a key/value block with restart interval 1. Entries may overlap and come
// in any order; range_del_fragments.h makes fragments of them. Lists are
// thread-safe to read; a builder belongs to one thread at a time.
#ifndef ASHLAR_TABLE_META_RANGE_DEL_BLOCK_H_
#define ASHLAR_TABLE_META_RANGE_DEL_BLOCK_H_

#include <cstdint>
#include <vector>

#include "ashlar/table/range_deletion.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/block/block_builder.h"
#include "table/format/block_place.h"
#include "table/format/key_form.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// The most range deletions that a table may have. More are neither written nor
// read.
inline constexpr uint64_t kMaxRangeDeletions = uint64_t{1} << 24;

struct RangeDeletionList {
  // In stored order. Begins point into `keys`. Ends point there too if
  // timestamps were put back, else into the block's contents.
  std::vector<RangeDeletion> entries;
  Buffer keys;
};

// How user keys are stored in such a block.
struct RangeDeletionForm {
  size_t timestamp_size = 0;  // in bytes, as stored
  KeyForm keys = {};
};

// Decodes the block into *list. Returns Corruption if it is damaged,
// NotSupported if it has more than kMaxRangeDeletions, MemoryLimit if memory
// runs out. Requires: `contents` outlive *list, which is empty.
Status DecodeRangeDeletions(const Slice& contents, const BlockPlace& place,
                            const RangeDeletionForm& form,
                            RangeDeletionList* list);

// Writes a block of range deletions.
class RangeDeletionBlockBuilder {
 public:
  RangeDeletionBlockBuilder() : builder_(kRestartInterval, &block_) {}
  RangeDeletionBlockBuilder(const RangeDeletionBlockBuilder&) = delete;
  RangeDeletionBlockBuilder& operator=(const RangeDeletionBlockBuilder&) =
      delete;

  bool empty() const { return builder_.empty(); }
  // Returns the size of the block if it were finished now, in bytes.
  uint64_t SizeEstimate() const { return builder_.SizeEstimate(); }
  // Adds a range deletion. `tail` is that of the begin's internal key.
  void Add(const Slice& begin, uint64_t tail, const Slice& end) {
    builder_.Add(begin, tail, 0, end);
  }
  // Completes the block, and returns its bytes, which live as long as the
  // builder.
  Slice Finish() { return builder_.Finish(); }

 private:
  static constexpr int kRestartInterval = 1;

  Buffer block_;
  BlockBuilder builder_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_RANGE_DEL_BLOCK_H_

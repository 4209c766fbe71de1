// The range deletion block: the tombstones of a table, in any order.
//
//   internal key of begin, type 0x0F  ->  end, a user key
//
// A key/value block with restart interval 1. Entries may overlap and come in
// any order; range_del_fragments.h makes sense of them. Thread-safe to read.
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

// More in one table are neither written nor read.
inline constexpr uint64_t kMaxRangeDeletions = uint64_t{1} << 24;

struct RangeDeletionList {
  // In stored order. Begins lie in `keys`; ends too where timestamps were taken
  // off, else in the block's contents.
  std::vector<RangeDeletion> entries;
  Buffer keys;
};

// What the user keys of such a block look like.
struct RangeDeletionForm {
  size_t timestamp_size = 0;  // as stored
  KeyForm keys = {};
};

// `contents` must outlive *list, which must be empty.
Status DecodeRangeDeletions(const Slice& contents, const BlockPlace& place,
                            const RangeDeletionForm& form,
                            RangeDeletionList* list);

// Collects a block of range deletions.
class RangeDeletionBlockBuilder {
 public:
  RangeDeletionBlockBuilder() : builder_(kRestartInterval, &block_) {}
  RangeDeletionBlockBuilder(const RangeDeletionBlockBuilder&) = delete;
  RangeDeletionBlockBuilder& operator=(const RangeDeletionBlockBuilder&) =
      delete;

  bool empty() const { return builder_.empty(); }
  // Bytes of the block if it were finished now.
  uint64_t SizeEstimate() const { return builder_.SizeEstimate(); }
  void Add(const Slice& begin, uint64_t tail, const Slice& end) {
    builder_.Add(begin, tail, 0, end);
  }
  // The whole block; lives as long as the builder.
  Slice Finish() { return builder_.Finish(); }

 private:
  static constexpr int kRestartInterval = 1;

  Buffer block_;
  BlockBuilder builder_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_META_RANGE_DEL_BLOCK_H_

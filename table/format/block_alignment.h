// BlockAlignment: where data blocks are moved, so that they cross fewer
// boundaries of pages and of the file system's larger units.
//
// BlockWriter asks it for each data block. The rules are RocksDB's, so that
// blocks get the same offsets; FORMAT.md, "Padding". Pure arithmetic:
// thread-safe.
#ifndef ASHLAR_TABLE_FORMAT_BLOCK_ALIGNMENT_H_
#define ASHLAR_TABLE_FORMAT_BLOCK_ALIGNMENT_H_

#include <algorithm>
#include <cstdint>

#include "ashlar/table/options.h"
#include "table/format/block_handle.h"

namespace ashlar::internal {

class BlockAlignment {
 public:
  BlockAlignment() = default;  // moves no block
  explicit BlockAlignment(const TableOptions& options)
      : has_blobs_(options.embedded_blob_options.enable) {
    constexpr uint64_t kPage = 4096;
    if (options.block_align) unit_ = std::min(options.block_size, kPage);
    if (options.super_block_alignment_space_overhead_ratio != 0) {
      super_block_ = options.super_block_alignment_size;
      max_padding_ =
          super_block_ / options.super_block_alignment_space_overhead_ratio;
    }
  }

  // Returns whether there may be zeros before blocks.
  bool moves_blocks() const { return super_block_ != 0; }

  // Returns how many zeros to write at `offset`, before a block of `size`
  // stored bytes.
  uint64_t Before(uint64_t offset, uint64_t size) const {
    if (super_block_ == 0 ||
        offset / super_block_ == (offset + size) / super_block_) {
      return 0;
    }
    const uint64_t padding = super_block_ - offset % super_block_;
    return padding < max_padding_ ? padding : 0;
  }

  // Returns how many zeros to write after the trailer of a block of `size`.
  uint64_t After(uint64_t size) const {
    if (unit_ == 0) return 0;
    return (unit_ - (size + kBlockTrailerSize) % unit_) % unit_;
  }

  // Returns whether a block at `offset` was moved to a super block boundary.
  // The block before it, without what follows it, has `last_size` bytes and a
  // trailer that ends at `last_end`. Blobs may be between them; then a block
  // that comes to be at such a boundary counts as moved.
  bool WasMoved(uint64_t last_end, uint64_t last_size, uint64_t offset) const {
    if (has_blobs_) return super_block_ != 0 && offset % super_block_ == 0;
    return offset != last_end && offset != last_end + After(last_size);
  }

 private:
  bool has_blobs_ = false;
  uint64_t unit_ = 0;         // 0: blocks are not aligned
  uint64_t super_block_ = 0;  // 0: nor to super blocks
  uint64_t max_padding_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_BLOCK_ALIGNMENT_H_

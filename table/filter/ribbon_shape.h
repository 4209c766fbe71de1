// RibbonShape: where the solution of a Ribbon filter is in its segments.
//
// Used by code that builds or asks one. A plain value, computed from two
// numbers of the payload: thread-safe to read.
#ifndef ASHLAR_TABLE_FILTER_RIBBON_SHAPE_H_
#define ASHLAR_TABLE_FILTER_RIBBON_SHAPE_H_

#include <cstdint>

namespace ashlar::internal {

inline constexpr uint32_t kRibbonWidth = 128;  // coefficients of an equation
inline constexpr uint32_t kRibbonMaxColumns = 32;

// A block of 128 slots has one segment for each column of the solution, in a
// row. All blocks from some block on have one column more.
struct RibbonShape {
  uint32_t num_blocks = 0;
  uint32_t upper_columns = 0;
  uint32_t upper_start_block = 0;

  RibbonShape() = default;
  RibbonShape(uint32_t blocks, uint64_t num_segments) : num_blocks(blocks) {
    const uint64_t columns = (num_segments + blocks - 1) / blocks;
    if (columns > kRibbonMaxColumns) {
      upper_columns = kRibbonMaxColumns;
      return;
    }
    upper_columns = static_cast<uint32_t>(columns);
    upper_start_block = static_cast<uint32_t>(columns * blocks - num_segments);
  }

  uint64_t num_slots() const { return uint64_t{num_blocks} * kRibbonWidth; }
  uint64_t num_starts() const { return num_slots() - (kRibbonWidth - 1); }
  uint32_t Columns(uint32_t block) const {
    return upper_columns - (block < upper_start_block ? 1 : 0);
  }
  uint64_t FirstSegment(uint32_t block) const {
    return uint64_t{block} * upper_columns -
           (block < upper_start_block ? block : upper_start_block);
  }
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_RIBBON_SHAPE_H_

// BlockMap: shows the blocks of a file as a limited number of cells, in file
// order.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_MAP_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_MAP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"

namespace ashlar::tool {

// Neighbouring blocks, or bytes that belong to no block.
struct MapCell {
  uint64_t offset = 0;
  uint64_t bytes = 0;   // with trailers
  uint64_t blocks = 0;  // 0: a gap
  BlockKind kind = BlockKind::kOther;
  bool mixed_kinds = false;
  uint64_t first_index = 0;  // among the blocks of `kind`
  // Of the decoded blocks.
  uint64_t raw_bytes = 0;
  uint64_t stored_bytes = 0;
  uint64_t bad_blocks = 0;
  std::string first_fault;
};

struct BlockMap {
  // The limit of the number of cells, for any number of blocks.
  static constexpr size_t kMostCells = 1200;
  std::vector<MapCell> cells;
  // The number of bytes that belong to no block, including alignment.
  uint64_t gap_bytes = 0;
};

// Returns whether the block was decoded, so that its sizes show how well it is
// compressed.
using IsDecoded = std::function<bool(const BlockInfo& block)>;

BlockMap MakeBlockMap(const TableInspection& inspection,
                      const IsDecoded& is_decoded);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_BLOCK_MAP_H_

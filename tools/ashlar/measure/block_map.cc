#include "tools/ashlar/measure/block_map.h"

#include <algorithm>
#include <utility>

namespace ashlar::tool {
namespace {

MapCell CellOf(const BlockInfo& block, bool decoded) {
  MapCell cell;
  cell.offset = block.offset;
  cell.bytes =
      block.size + (block.kind == BlockKind::kFooter ? 0 : kBlockTrailerBytes);
  cell.blocks = 1;
  cell.kind = block.kind;
  cell.first_index = block.index;
  if (decoded && block.raw_size != 0) {
    cell.raw_bytes = block.raw_size;
    cell.stored_bytes = block.size;
  }
  if (!block.status.ok()) {
    cell.bad_blocks = 1;
    cell.first_fault = block.status.message();
  }
  return cell;
}

MapCell GapCell(uint64_t offset, uint64_t bytes) {
  MapCell cell;
  cell.offset = offset;
  cell.bytes = bytes;
  return cell;
}

void Join(MapCell&& next, MapCell* cell) {
  const uint64_t end =
      std::max(cell->offset + cell->bytes, next.offset + next.bytes);
  if (cell->blocks == 0 && next.blocks != 0) {
    cell->kind = next.kind;
    cell->first_index = next.first_index;
  } else if (next.blocks != 0 && next.kind != cell->kind) {
    cell->mixed_kinds = true;
  }
  cell->bytes = end - cell->offset;
  cell->blocks += next.blocks;
  cell->raw_bytes += next.raw_bytes;
  cell->stored_bytes += next.stored_bytes;
  if (cell->bad_blocks == 0) cell->first_fault = std::move(next.first_fault);
  cell->bad_blocks += next.bad_blocks;
}

// Returns whether the two are kept in separate cells as long as there is room:
// damaged and sound blocks, and blocks of different kinds.
bool Differ(const MapCell& a, const MapCell& b) {
  return a.kind != b.kind || (a.blocks == 0) != (b.blocks == 0) ||
         (a.bad_blocks == 0) != (b.bad_blocks == 0);
}

std::vector<MapCell> JoinUpTo(uint64_t most_bytes, bool keep_apart,
                              std::vector<MapCell> cells) {
  std::vector<MapCell> joined;
  for (MapCell& cell : cells) {
    if (joined.empty() || joined.back().bytes + cell.bytes > most_bytes ||
        (keep_apart && Differ(joined.back(), cell))) {
      joined.push_back(std::move(cell));
    } else {
      Join(std::move(cell), &joined.back());
    }
  }
  return joined;
}

}  // namespace

BlockMap MakeBlockMap(const TableInspection& inspection,
                      const IsDecoded& is_decoded) {
  BlockMap map;
  std::vector<MapCell> cells;
  cells.reserve(inspection.blocks.size());
  uint64_t end = 0;
  const auto gap_up_to = [&](uint64_t offset) {
    if (offset <= end) return;
    cells.push_back(GapCell(end, offset - end));
    map.gap_bytes += offset - end;
  };
  for (const BlockInfo& block : inspection.blocks) {
    gap_up_to(block.offset);
    cells.push_back(CellOf(block, is_decoded(block)));
    end = std::max(end, cells.back().offset + cells.back().bytes);
  }
  gap_up_to(inspection.file_size);
  if (cells.size() > BlockMap::kMostCells) {
    // Two adjacent cells that are not joined have more bytes than this
    // together, so at most kMostCells cells remain.
    const uint64_t most_bytes =
        std::max<uint64_t>(2 * inspection.file_size / BlockMap::kMostCells, 1);
    std::vector<MapCell> apart = JoinUpTo(most_bytes, true, cells);
    cells = apart.size() <= BlockMap::kMostCells
                ? std::move(apart)
                : JoinUpTo(most_bytes, false, std::move(cells));
    // There may still be too many cells, because overlapping blocks have more
    // bytes than the file.
    while (cells.size() > BlockMap::kMostCells) {
      std::vector<MapCell> halved;
      for (size_t i = 0; i < cells.size(); ++i) {
        if (i % 2 == 0) {
          halved.push_back(std::move(cells[i]));
        } else {
          Join(std::move(cells[i]), &halved.back());
        }
      }
      cells = std::move(halved);
    }
  }
  map.cells = std::move(cells);
  return map;
}

}  // namespace ashlar::tool

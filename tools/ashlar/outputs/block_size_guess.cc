#include "tools/ashlar/outputs/block_size_guess.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/options.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

// Returns the sizes of the first data blocks before compression.
std::vector<uint64_t> BlockSizes(const std::string& path) {
  constexpr size_t kEnough = 256;
  std::vector<uint64_t> sizes;
  const auto file = OpenRandomAccessFile(path);
  if (!IsOkOrThrow(file.status())) return sizes;
  InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
  options.on_block = [&sizes](const BlockInfo& block) {
    if (block.kind == BlockKind::kData && block.raw_size != 0) {
      sizes.push_back(block.raw_size);
    }
  };
  options.on_progress = [&sizes](uint64_t, uint64_t) {
    return sizes.size() < kEnough;
  };
  TableInspection inspection;
  // Faults of the file are reported elsewhere.
  static_cast<void>(IsOkOrThrow(InspectTable(**file, options, &inspection)));
  return sizes;
}

// Blocks are a little smaller than block_size, or larger where entries are
// large. If there is a power of two nearby, it was meant; otherwise rounds up
// to a sixteenth of a power of two.
uint64_t SizeAround(uint64_t median) {
  const uint64_t power = std::bit_floor(median + median / 8);
  if (power >= median - median / 8) return power;
  const uint64_t step = std::max<uint64_t>(std::bit_floor(median) / 16, 1);
  return (median + step - 1) / step * step;
}

}  // namespace

uint64_t GuessBlockSize(const std::string& path) {
  constexpr uint64_t kLeast = 256;
  constexpr uint64_t kMost = uint64_t{1} << 26;
  std::vector<uint64_t> sizes = BlockSizes(path);
  // The last block has only what was left, so it is not counted. If there is
  // only one block, block_size is at least that block's size.
  const bool one = sizes.size() == 1;
  if (sizes.size() > 1) sizes.pop_back();
  if (sizes.empty()) return TableOptions().block_size;
  const auto middle = sizes.begin() + static_cast<ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const uint64_t size = SizeAround(std::clamp(*middle, kLeast, kMost));
  return one ? std::max<uint64_t>(size, TableOptions().block_size) : size;
}

}  // namespace ashlar::tool

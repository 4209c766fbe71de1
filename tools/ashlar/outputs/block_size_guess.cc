#include "tools/ashlar/outputs/block_size_guess.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/options.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/flags/memory_limit.h"
#include "tools/ashlar/inputs/open_table.h"

namespace ashlar::tool {
namespace {

// Of the first data blocks, before compression.
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
  // What is wrong with the file others tell.
  static_cast<void>(IsOkOrThrow(InspectTable(**file, options, &inspection)));
  return sizes;
}

// Blocks end a little before the size, or behind it where entries are large. A
// power of two nearby is what was meant; else the next sixteenth of one.
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
  // The last block is as large as what was left; of one block it is known only
  // that the size is not smaller.
  const bool one = sizes.size() == 1;
  if (sizes.size() > 1) sizes.pop_back();
  if (sizes.empty()) return TableOptions().block_size;
  const auto middle = sizes.begin() + static_cast<ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const uint64_t size = SizeAround(std::clamp(*middle, kLeast, kMost));
  return one ? std::max<uint64_t>(size, TableOptions().block_size) : size;
}

}  // namespace ashlar::tool

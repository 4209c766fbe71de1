// Fuzz target: the walk that finds the blocks of a file whose index is lost. It
// needs no footer, so the first bytes of a table serve as well as all of it.
#include "table/walk/block_walk.h"

#include <algorithm>
#include <optional>
#include <string>

#include "ashlar/table/inspect.h"
#include "ashlar/util/file.h"
#include "test/fuzz/cost.h"
#include "test/fuzz/fuzz_input.h"

namespace ashlar {

namespace {

using internal::BlockWalk;
using internal::FoundBlock;

// What SECURITY.md states of an inspection.
constexpr fuzz::CostLimit kCostOfWalk = {.what = "walk",
                                         .bytes = 16 * fuzz::kMaxBlockBytes,
                                         .bytes_per_byte = 256,
                                         .seconds = 10};

// Blocks that are found ascend, are within the file, and are not lost as well.
void FindBlocks(const RandomAccessFile& file,
                const internal::WalkOptions& how) {
  const fuzz::Cost cost(kCostOfWalk, file.Size());
  BlockWalk walk(&file, how);
  const auto learned = walk.Learn(std::nullopt);
  if (!learned.has_value()) return;
  walk.Use(learned->rule, 0);
  FUZZ_CHECK(walk.Run({0, file.Size()}));
  uint64_t end = 0;
  for (const FoundBlock& block : walk.blocks()) {
    FUZZ_CHECK(block.handle.offset >= end);
    FUZZ_CHECK(block.handle.FitsBelow(file.Size()));
    end = block.handle.End();
  }
  for (const internal::ByteRange& lost : walk.lost()) {
    FUZZ_CHECK(lost.begin < lost.end && lost.end <= file.Size());
    FUZZ_CHECK(std::none_of(walk.blocks().begin(), walk.blocks().end(),
                            [&lost](const FoundBlock& block) {
                              return block.handle.offset < lost.end &&
                                     lost.begin < block.handle.End();
                            }));
  }
}

}  // namespace

}  // namespace ashlar

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using ashlar::fuzz::kMaxBlockBytes;
  ashlar::fuzz::FuzzInput input(data, size);
  const uint8_t flags = input.Byte();
  const std::string bytes = input.rest().ToString();
  const auto file = ashlar::NewMemoryFile("fuzz.sst", bytes);
  ashlar::FindBlocks(*file, {.most_block_bytes = kMaxBlockBytes,
                             .custom_types = (flags & 1) != 0,
                             .finds_moved = (flags & 2) != 0});
  ashlar::InspectOptions options;
  options.find_blocks = true;
  options.max_uncompressed_block_bytes = kMaxBlockBytes;
  ashlar::TableInspection found;
  const ashlar::fuzz::Cost cost(ashlar::kCostOfWalk, bytes.size());
  FUZZ_CHECK(ashlar::InspectTable(*file, options, &found).ok());
  return 0;
}

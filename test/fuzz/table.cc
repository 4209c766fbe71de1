// Fuzz target: whole files, unchanged. Most inputs fail at a checksum.
// signed_table.cc reaches the code after the checksums. The same bytes are
// walked over for blocks, which needs no footer.
#include <string>

#include "ashlar/table/inspect.h"
#include "table/walk/block_walk.h"
#include "test/fuzz/fuzz_input.h"
#include "test/fuzz/read_table.h"

namespace {

// What is found ascends, and is within the file.
void FindBlocks(const std::string& bytes) {
  const auto file = ashlar::NewMemoryFile("fuzz.sst", bytes);
  constexpr uint64_t kMostBlockBytes = uint64_t{1} << 20;
  ashlar::internal::BlockWalk walk(file.get(), {kMostBlockBytes, true, {}});
  const auto learned = walk.Learn(std::nullopt);
  if (learned.has_value()) walk.Use(learned->rule, 0);
  if (learned.has_value()) FUZZ_CHECK(walk.Run({0, bytes.size()}));
  uint64_t end = 0;
  for (const auto& block : walk.blocks()) {
    FUZZ_CHECK(block.handle.offset >= end);
    FUZZ_CHECK(block.handle.FitsBelow(bytes.size()));
    end = block.handle.End();
  }
  ashlar::InspectOptions options;
  options.find_blocks = true;
  options.max_uncompressed_block_bytes = kMostBlockBytes;
  ashlar::TableInspection found;
  FUZZ_CHECK(ashlar::InspectTable(*file, options, &found).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::FuzzInput input(data, size);
  const std::string bytes = input.rest().ToString();
  ashlar::fuzz::ReadTable(bytes);
  FindBlocks(bytes);
  return 0;
}

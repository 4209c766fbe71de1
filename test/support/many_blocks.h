// What the tests of ReadOptions::worker_pool share: tables of many blocks, and
// what reads of them show.
//
// One thread at a time, except Walked.
#ifndef ASHLAR_TEST_SUPPORT_MANY_BLOCKS_H_
#define ASHLAR_TEST_SUPPORT_MANY_BLOCKS_H_

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {

inline std::string KeyOf(int i) {
  std::string key = std::to_string(i);
  return std::string(6 - key.size(), '0') + key;
}

// Returns a table of several hundred blocks.
inline std::string ManyBlocks(Random* random, int entries = 3000) {
  constexpr CompressionType kCodecs[] = {
      CompressionType::kZSTD, CompressionType::kLZ4Compression,
      CompressionType::kSnappyCompression, CompressionType::kNoCompression};
  TableOptions options;
  options.block_size = random->Between(100, 900);
  options.compression = random->Pick(kCodecs);
  options.format_version = static_cast<uint32_t>(random->Between(3, 7));
  if (random->OneIn(3)) {
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.metadata_block_size = random->Between(100, 2000);
  }
  std::vector<Entry> all;
  all.reserve(static_cast<size_t>(entries));
  for (int i = 0; i < entries; ++i) {
    all.push_back(Value(KeyOf(2 * i), 7, random->Text(random->Below(60))));
  }
  return BuildTable(options, all);
}

struct PooledOptions {
  ReaderOptions reader;
  ReadOptions read;
};

inline PooledOptions AnyOptions(Random* random) {
  PooledOptions options;
  options.reader.block_cache = AnyBlockCache(random->Next());
  options.reader.cache_index_and_filter_blocks =
      options.reader.block_cache != nullptr && random->OneIn(3);
  options.read.fill_cache = !random->OneIn(3);
  options.read.verify_checksums = !random->OneIn(6);
  options.read.pin_data = random->OneIn(5);
  options.read.async_io = random->OneIn(3);
  options.read.readahead_size = random->OneIn(3) ? random->Below(20000) : 0;
  return options;
}

inline std::vector<BlockInfo> DataBlocksOf(const std::string& bytes) {
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("t", bytes), {}, &found));
  std::vector<BlockInfo> blocks;
  for (const BlockInfo& block : found.blocks) {
    if (block.kind == BlockKind::kData) blocks.push_back(block);
  }
  return blocks;
}

// Returns everything that a walk shows, and its status.
inline std::string Walked(const TableReader& reader, const ReadOptions& options,
                          bool forward) {
  std::vector<Entry> entries;
  const Status status = forward ? ReadForward(reader, options, &entries)
                                : ReadBackward(reader, options, &entries);
  return CanonicalDump(entries) + status.ToString();
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_MANY_BLOCKS_H_

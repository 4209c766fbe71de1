// Tests the special forms of data blocks: separated values, hash indexes, and
// alignment.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "table/block/block_iterator.h"
#include "table/block/data_block_builder.h"
#include "table/format/block_alignment.h"
#include "test/support/built_block.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/reference_reader.h"
#include "test/support/resign.h"
#include "test/support/tables.h"
#include "util/coding/word_compare.h"

namespace ashlar::testing {
namespace {

using namespace internal;

// Returns the bytes that FORMAT.md describes, made in the simplest way.
std::string ExpectedBlock(const std::vector<Entry>& entries,
                          const DataBlockForm& form) {
  std::string keys;
  std::string values;
  std::string restarts;
  uint32_t num_restarts = 0;
  double sum = 0;
  std::vector<std::pair<uint32_t, uint32_t>> hashes;
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool restart = i % static_cast<size_t>(form.restart_interval) == 0;
    const std::string& key = entries[i].key;
    const size_t shared = restart ? 0 : CommonPrefix(entries[i - 1].key, key);
    if (restart) AppendFixed32(&restarts, static_cast<uint32_t>(keys.size()));
    if (restart) ++num_restarts;
    AppendVarint64(&keys, shared);
    AppendVarint64(&keys, key.size() - shared);
    AppendVarint64(&keys, entries[i].value.size());
    if (restart && form.separated) AppendVarint64(&keys, values.size());
    keys.append(key, shared);
    (form.separated ? values : keys).append(entries[i].value);
    hashes.emplace_back(Hash32(UserKeyOf(key), 397), num_restarts - 1);
    if (form.hash_ratio != 0) sum += 1 / form.hash_ratio;
  }
  if (entries.empty()) AppendFixed32(&restarts, 0);
  std::string block = keys + values + restarts;
  uint32_t packed = entries.empty() ? 1 : num_restarts;
  const size_t buckets = (static_cast<size_t>(sum) % 65536) | 1;
  if (form.hash_ratio != 0 && num_restarts <= 254 &&
      block.size() + 4 + (form.separated ? 4 : 0) + 2 + buckets <= 65536) {
    std::vector<int> table(buckets, 255);
    for (const auto& [hash, restart] : hashes) {
      int& bucket = table[hash % buckets];
      bucket = bucket == 255 || bucket == static_cast<int>(restart)
                   ? static_cast<int>(restart)
                   : 254;
    }
    for (const int bucket : table) block.push_back(static_cast<char>(bucket));
    block.push_back(static_cast<char>(buckets));
    block.push_back(static_cast<char>(buckets >> 8));
    packed |= 1u << 31;
  }
  if (form.separated) {
    AppendFixed32(&block, static_cast<uint32_t>(keys.size()));
    packed |= 1u << 28;
  }
  AppendFixed32(&block, packed);
  return block;
}

DataBlockForm RandomForm(Random* random) {
  constexpr int kIntervals[] = {1, 2, 3, 16, 1000};
  constexpr double kRatios[] = {0, 0.001, 0.3, 0.75, 0.75, 2, 1000};
  return {random->Pick(kIntervals), random->OneIn(2), random->Pick(kRatios)};
}

TEST(DataBlockBuilder, BytesOfEveryForm) {
  ForEachSeed(8000, 300, [](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    const DataBlockForm form = RandomForm(&random);
    const BuiltBlock built = BuildDataBlock(table.model.entries(), form);
    ASSERT_TRUE(built.bytes == ExpectedBlock(table.model.entries(), form));
    // The estimate is exact for blocks of up to 64 KiB.
    if (built.estimate <= 65536) {
      ASSERT_EQ(built.bytes.size(), built.estimate);
    }
  });
}

TEST(DataBlockBuilder, EmptyBlocks) {
  EXPECT_EQ(Hex(BuildDataBlock({}, {16, true, 0}).bytes),
            "000000000000000001000010");
  EXPECT_EQ(Hex(BuildDataBlock({}, {16, false, 0.75}).bytes),
            "00000000ff010001000080");
}

// A bucket can hold the number of a restart interval only up to 253.
TEST(DataBlockBuilder, NoHashIndexBeyond254RestartPoints) {
  const std::vector<Entry> entries = SomeEntries(255);
  const std::vector<Entry> fewer(entries.begin(), entries.end() - 1);
  const auto has_hash_index = [](const BuiltBlock& block) {
    return (block.bytes.back() & 0x80) != 0;
  };
  EXPECT_TRUE(has_hash_index(BuildDataBlock(fewer, {1, false, 0.75})));
  EXPECT_FALSE(has_hash_index(BuildDataBlock(entries, {1, false, 0.75})));
}

// RocksDB does so too, and our files are to be the same as its files.
TEST(DataBlockBuilder, NoHashIndexBehindABlockWithTooManyRestartPoints) {
  const std::vector<Entry> entries = SomeEntries(255);
  Buffer buffer;
  DataBlockBuilder builder({1, false, 0.75}, &buffer);
  const auto build = [&](size_t count) {
    builder.Start();
    for (size_t i = 0; i < count; ++i) {
      builder.Add(UserKeyOf(entries[i].key), TailOf(entries[i].key), 0, "v");
    }
    const size_t estimate = builder.SizeEstimate();
    const Slice block = builder.Finish();
    EXPECT_EQ(estimate, block.size());
    return (block[block.size() - 1] & 0x80) != 0;
  };
  EXPECT_TRUE(build(1));
  EXPECT_TRUE(build(254));
  EXPECT_FALSE(build(255));
  EXPECT_FALSE(build(1));
}

// --- Searching by a hash index -----------------------------------------------

void ExpectSameSeek(const std::string& block, const Model& model,
                    const Comparator* comparator, Random* random) {
  const BlockPlace place{BlockKind::kData, {}};
  BlockView view;
  Require(ParseBlock(block, place, &view));
  BlockIterator it{KeyOrder(comparator)};
  it.Reset(view, place);
  for (int i = 0; i < 30; ++i) {
    const std::string target = MakeInternalKey(
        RandomTarget(model, random),
        random->OneIn(2) ? kMaxSequenceNumber : random->Below(500),
        static_cast<ValueType>(0xff));
    const size_t expected = model.LowerBound(target);
    ASSERT_EQ(it.SeekUserKey(target), expected < model.entries().size());
    ASSERT_TRUE(it.status().ok()) << it.status().ToString();
    if (it.Valid()) {
      ASSERT_TRUE(it.key() == Slice(model.entries()[expected].key));
      ASSERT_TRUE(it.value() == Slice(model.entries()[expected].value));
    }
  }
}

// A search finds the right entry whatever the hash index contains.
TEST(HashIndex, RightOrWrongItMisleadsNobody) {
  ForEachSeed(9000, 200, [](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    DataBlockForm form = RandomForm(&random);
    form.hash_ratio = 0.75;
    std::string block = BuildDataBlock(table.model.entries(), form).bytes;
    ASSERT_NO_FATAL_FAILURE(
        ExpectSameSeek(block, table.model, table.options.comparator, &random));
    BlockView view;
    Require(ParseBlock(block, {BlockKind::kData, {}}, &view));
    for (size_t i = 0; i < view.num_buckets; ++i) {
      const auto at = static_cast<size_t>(
          reinterpret_cast<const char*>(view.buckets) - block.data());
      block[at + i] = static_cast<char>(random.OneIn(2) ? random.Below(4)
                                                        : random.Below(256));
    }
    ASSERT_NO_FATAL_FAILURE(
        ExpectSameSeek(block, table.model, table.options.comparator, &random));
  });
}

TableOptions HashedOptions() {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.data_block_index_type = DataBlockIndexType::kDataBlockBinaryAndHash;
  options.block_restart_interval = 2;
  return options;
}

TEST(HashIndex, VerificationFindsAWrongOne) {
  std::string file = BuildTable(HashedOptions(), SomeEntries(20));
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("t.sst", file), {}, &found));
  ASSERT_TRUE(found.faults.empty());
  ASSERT_EQ(found.blocks[0].kind, BlockKind::kData);
  // The last bucket that names a restart interval.
  size_t at = found.blocks[0].size - 4 - 2 - 1;
  while (static_cast<uint8_t>(file[at]) >= kSharedBucket) --at;
  file[at] = static_cast<char>(file[at] == 0 ? 1 : file[at] - 1);
  Resign(found.blocks[0], &file);
  Require(InspectTable(*NewMemoryFile("t.sst", file), {}, &found));
  ASSERT_EQ(found.faults.size(), 1u);
  EXPECT_TRUE(found.faults[0].status.IsCorruption());
  EXPECT_NE(found.faults[0].status.message().find(
                "hash index does not lead to a key in data block #0"),
            std::string_view::npos)
      << found.faults[0].status.ToString();
  // Get does not trust the wrong hash index.
  const auto reader = OpenTable(file);
  for (const Entry& entry : SomeEntries(20)) {
    GetResult result;
    Require(reader->Get(UserKeyOf(entry.key), &result));
    EXPECT_EQ(result.value.ToString(), entry.value);
  }
}

// --- Alignment ---------------------------------------------------------------

std::vector<BlockInfo> DataBlocksOf(const std::string& file) {
  TableInspection found;
  Require(InspectTable(*NewMemoryFile("t.sst", file), {}, &found));
  EXPECT_TRUE(found.faults.empty());
  std::vector<BlockInfo> blocks;
  for (const BlockInfo& block : found.blocks) {
    if (block.kind == BlockKind::kData) blocks.push_back(block);
  }
  return blocks;
}

TEST(BlockAlignment, Arithmetic) {
  TableOptions options;
  EXPECT_EQ(BlockAlignment(options).Before(1, 10000000), 0u);
  EXPECT_EQ(BlockAlignment(options).After(1), 0u);
  options.block_align = true;
  options.block_size = 1024;
  EXPECT_EQ(BlockAlignment(options).After(1000), 19u);
  EXPECT_EQ(BlockAlignment(options).After(1019), 0u);
  EXPECT_EQ(BlockAlignment(options).After(1020), 1023u);
  options.block_size = 1 << 20;
  EXPECT_EQ(BlockAlignment(options).After(1), 4090u);
  options.super_block_alignment_size = 4096;
  options.super_block_alignment_space_overhead_ratio = 4;
  const BlockAlignment super(options);
  EXPECT_EQ(super.Before(0, 4095), 0u);
  EXPECT_EQ(super.Before(4000, 95), 0u);
  EXPECT_EQ(super.Before(4000, 96), 96u);
  EXPECT_EQ(super.Before(3073, 2000), 1023u);
  EXPECT_EQ(super.Before(3072, 2000), 0u);  // wastes too much
  options.super_block_alignment_space_overhead_ratio = 0;
  EXPECT_EQ(BlockAlignment(options).Before(4000, 96), 0u);
}

TEST(BlockAlignment, BlocksBeginAtUnits) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.block_align = true;
  options.block_size = 512;
  options.index_block_restart_interval = 4;
  const std::vector<Entry> entries = SomeEntries(300);
  const std::string file = BuildTable(options, entries);
  const std::vector<BlockInfo> blocks = DataBlocksOf(file);
  ASSERT_GT(blocks.size(), 5u);
  for (const BlockInfo& block : blocks) {
    EXPECT_EQ(block.offset % 512, 0u);
    EXPECT_LE(block.size + 5, 512u);
  }
  const auto reader = OpenTable(file);
  EXPECT_EQ(reader->properties().data_size % 512, 0u);
  EXPECT_EQ(reader->properties().tail_start_offset,
            reader->properties().data_size);
  EXPECT_EQ(reader->properties().index_value_is_delta_encoded, 0u);
  std::vector<Entry> found;
  Require(ReadForward(*reader, {}, &found));
  EXPECT_TRUE(found == entries);
}

TEST(BlockAlignment, BlocksDoNotCrossSuperBlocks) {
  TableOptions options;
  options.block_size = 500;
  options.super_block_alignment_size = 4096;
  options.super_block_alignment_space_overhead_ratio = 1;
  options.index_block_restart_interval = 16;
  std::vector<Entry> entries = SomeEntries(2000);
  Random random(3);
  for (Entry& entry : entries) entry.value = random.Text(30);
  for (const CompressionType codec : SupportedCompressionTypes()) {
    options.compression = codec;
    const std::string file = BuildTable(options, entries);
    const std::vector<BlockInfo> blocks = DataBlocksOf(file);
    size_t gaps = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const BlockInfo& block = blocks[i];
      EXPECT_EQ(block.offset / 4096, (block.offset + block.size) / 4096);
      if (i == 0) continue;
      const uint64_t end = blocks[i - 1].offset + blocks[i - 1].size + 5;
      gaps += block.offset == end ? 0 : 1;
      for (uint64_t at = end; at < block.offset; ++at) {
        ASSERT_EQ(file[at], '\0');
      }
    }
    EXPECT_GT(gaps, 3u) << CompressionTypeName(codec);
    std::vector<Entry> found;
    Require(ReadBackward(*OpenTable(file), {}, &found));
    EXPECT_EQ(found.size(), entries.size());
    EXPECT_EQ(ReadReferenceTable(file).entries.size(), entries.size());
  }
}

}  // namespace
}  // namespace ashlar::testing

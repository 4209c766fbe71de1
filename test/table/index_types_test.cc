// Tests partitioned indexes and indexes with first keys, on files that RocksDB
// and Pebble wrote and on our own. golden_test.cc compares the entries. This
// file tests how they are read, and what damage does.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "table/format/footer.h"
#include "test/support/folder.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::string Golden(const std::string& name) {
  return ReadFile(GoldenPath(name));
}

constexpr const char* kPartitioned[] = {
    "r78-part-fv3.sst",  "r78-part-fv5.sst",  "r119-part-fv2.sst",
    "r119-part-fv4.sst", "r119-part-fv7.sst", "r119-part-comp.sst",
    "peb-twolevel.sst",  "rdict-fv6-part.sst"};
constexpr const char* kWithFirstKeys[] = {
    "r78-firstkey-fv3.sst",  "r78-firstkey-fv5.sst",  "r119-firstkey-fv2.sst",
    "r119-firstkey-fv4.sst", "r119-firstkey-fv7.sst", "r119-firstkey-comp.sst"};

std::vector<Entry> EntriesOf(const TableReader& reader) {
  std::vector<Entry> entries;
  Require(ReadForward(reader, {}, &entries));
  return entries;
}

size_t CountOf(const std::vector<BlockInfo>& blocks, BlockKind kind) {
  size_t n = 0;
  for (const BlockInfo& block : blocks) n += block.kind == kind ? 1 : 0;
  return n;
}

TEST(PartitionedIndex, PartsAreReadWhenTheyAreNeeded) {
  for (const char* name : kPartitioned) {
    SCOPED_TRACE(name);
    const std::string bytes = Golden(name);
    const auto lazy = OpenTable(bytes);
    const auto pinned =
        OpenTable(bytes, {.partition_pinning = PinningTier::kAll});
    const uint64_t before = lazy->MemoryUsage();
    EXPECT_LT(before, pinned->MemoryUsage());
    const std::vector<Entry> entries = EntriesOf(*lazy);
    // The pinned reader has partitions of a filter in memory too.
    EXPECT_LE(lazy->MemoryUsage(), pinned->MemoryUsage());
    EXPECT_TRUE(EntriesOf(*pinned) == entries);
    GetResult result;
    const auto third = OpenTable(bytes);
    ASSERT_TRUE(third->Get(UserKeyOf(entries[0].key), &result).ok());
    EXPECT_NE(result.state, GetResult::State::kNotFound);
    EXPECT_GT(third->MemoryUsage(), before);
    EXPECT_LT(third->MemoryUsage(), pinned->MemoryUsage());
  }
}

TEST(PartitionedIndex, EverySeekFindsItsNeighbours) {
  for (const char* name : kPartitioned) {
    SCOPED_TRACE(name);
    const auto reader = OpenTable(Golden(name));
    const std::vector<Entry> entries = EntriesOf(*reader);
    Iterator it = reader->NewIterator();
    for (size_t i = 0; i < entries.size(); ++i) {
      const Slice key(entries[i].key);
      it.Seek(UserKeyOf(key), SequenceOf(key));
      ASSERT_TRUE(it.Valid());
      ASSERT_TRUE(it.key() == key);
      it.Prev();
      ASSERT_EQ(it.Valid(), i > 0);
      if (i > 0) {
        ASSERT_TRUE(it.key() == Slice(entries[i - 1].key));
      }
      it.SeekForPrev(UserKeyOf(key), SequenceOf(key));
      ASSERT_TRUE(it.Valid());
      ASSERT_TRUE(it.key() == key);
      it.Next();
      ASSERT_EQ(it.Valid(), i + 1 < entries.size());
    }
    it.Seek("\xff\xff\xff");
    EXPECT_FALSE(it.Valid());
    EXPECT_TRUE(it.status().ok());
    uint64_t last = 0;
    for (const Entry& entry : entries) {
      const uint64_t offset = reader->ApproximateOffsetOf(UserKeyOf(entry.key));
      EXPECT_GE(offset, last);
      last = offset;
    }
    EXPECT_GT(reader->ApproximateOffsetOf("\xff\xff\xff"), last);
  }
}

// Reads that need the damaged partition fail and name it. All other reads are
// right.
void CheckDamagedPartition(const std::string& table, const BlockInfo& block,
                           const std::vector<Entry>& entries,
                           const ReaderOptions& options) {
  const std::string place =
      "index-partition block #" + std::to_string(block.index) + " offset " +
      std::to_string(block.offset) + " size " + std::to_string(block.size);
  const auto reader = OpenTable(table, options);
  size_t failed = 0;
  for (const Entry& entry : entries) {
    GetResult result;
    const Status status =
        reader->Get({}, UserKeyOf(entry.key), kMaxSequenceNumber, &result,
                    [](const Slice&, SequenceNumber) { return true; });
    if (status.ok()) {
      ASSERT_NE(result.state, GetResult::State::kNotFound);
    } else {
      ++failed;
      ASSERT_TRUE(status.IsCorruption());
      ASSERT_NE(status.message().find(place), std::string_view::npos)
          << status.ToString();
    }
  }
  EXPECT_GT(failed, 0u);
  EXPECT_LT(failed, entries.size());
  std::vector<Entry> found;
  const Status scan = ReadForward(*reader, {}, &found);
  EXPECT_NE(scan.message().find(place), std::string_view::npos);
  ASSERT_LE(found.size(), entries.size() - failed);
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(found[i] == entries[i]);
  }
  found.clear();
  EXPECT_TRUE(ReadBackward(*reader, {}, &found).IsCorruption());
  EXPECT_TRUE(reader->VerifyChecksum().IsCorruption());

  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
  ASSERT_EQ(inspection.faults.size(), 1u);
  EXPECT_EQ(inspection.faults[0].kind, BlockKind::kIndexPartition);
  EXPECT_EQ(inspection.faults[0].index, block.index);
  EXPECT_EQ(inspection.faults[0].offset, block.offset);
}

TEST(PartitionedIndex, DamageFailsOnlyWhatNeedsThePartition) {
  for (const char* name : kPartitioned) {
    SCOPED_TRACE(name);
    const std::string sound = Golden(name);
    const std::vector<Entry> entries = EntriesOf(*OpenTable(sound));
    const std::vector<BlockInfo> blocks = BlocksOf(sound);
    const size_t partitions = CountOf(blocks, BlockKind::kIndexPartition);
    ASSERT_GT(partitions, 1u);
    for (const uint64_t i : {uint64_t{0}, uint64_t{partitions - 1}}) {
      const BlockInfo block = FindBlock(blocks, BlockKind::kIndexPartition, i);
      std::string bad = sound;
      bad[block.offset + block.size / 2] ^= 0x10;
      for (const PinningTier tier : {PinningTier::kNone, PinningTier::kAll}) {
        ASSERT_NO_FATAL_FAILURE(CheckDamagedPartition(
            bad, block, entries, {.partition_pinning = tier}));
      }
    }
  }
}

// A separator of the top level is smaller than a key of its partition.
TEST(PartitionedIndex, PartitionBehindItsSeparatorIsDamage) {
  const std::string sound = Golden("r119-part-fv2.sst");
  const BlockInfo root = FindBlock(BlocksOf(sound), BlockKind::kIndex);
  std::string bad = sound;
  // The sizes (shared, non-shared, value) take one byte each, and the tail of
  // the key takes 8.
  const auto non_shared = static_cast<uint8_t>(bad[root.offset + 1]);
  bad[root.offset + 3 + non_shared - 9] -= 1;
  Resign(root, &bad);
  constexpr const char* kExpected =
      "bad index partition in index-partition block #0 offset ";
  std::vector<Entry> found;
  const Status status = ReadForward(*OpenTable(bad), {}, &found);
  EXPECT_NE(status.message().find(kExpected), std::string_view::npos)
      << status.ToString();
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", bad), {}, &inspection));
  ASSERT_FALSE(inspection.faults.empty());
  EXPECT_NE(inspection.faults[0].status.message().find(kExpected),
            std::string_view::npos);
}

TEST(FirstKeyIndex, GetBetweenTwoBlocksReadsNone) {
  for (const char* name : kWithFirstKeys) {
    SCOPED_TRACE(name);
    const std::string bytes = Golden(name);
    const auto reader = OpenTable(bytes);
    InspectOptions options;
    options.first_keys = true;
    TableInspection inspection;
    Require(InspectTable(*NewMemoryFile("t", bytes), options, &inspection));
    EXPECT_TRUE(inspection.faults.empty());
    size_t without_reading = 0;
    for (const BlockInfo& block : inspection.blocks) {
      if (block.kind != BlockKind::kData || block.index == 0) continue;
      // A key just before the first key of the block.
      std::string key = block.first_key;
      --key.back();
      key += "\xff";
      GetResult result;
      ASSERT_TRUE(reader->Get(key, &result).ok());
      ASSERT_EQ(result.state, GetResult::State::kNotFound);
      without_reading += result.data_blocks_read == 0 ? 1 : 0;
      ASSERT_TRUE(reader->Get(block.first_key, &result).ok());
      ASSERT_EQ(result.state, GetResult::State::kFound);
    }
    EXPECT_GT(without_reading, 0u);
  }
}

// The index stores a first key that is not that of the block.
TEST(FirstKeyIndex, WrongFirstKeyIsDamage) {
  const std::string sound = Golden("r119-firstkey-fv4.sst");
  const std::vector<BlockInfo> blocks = BlocksOf(sound);
  const BlockInfo index = FindBlock(blocks, BlockKind::kIndex);
  InspectOptions options;
  options.first_keys = true;
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", sound), options, &inspection));
  const BlockInfo data = FindBlock(inspection.blocks, BlockKind::kData, 1);
  const size_t at =
      sound.find(data.first_key + MakeInternalKey("", 0, ValueType::kTypeValue),
                 index.offset);
  ASSERT_LT(at, index.offset + index.size);
  std::string bad = sound;
  bad[at + data.first_key.size() - 1] += 1;
  Resign(index, &bad);
  std::vector<Entry> found;
  const Status status = ReadForward(*OpenTable(bad), {}, &found);
  EXPECT_NE(status.message().find(
                "first key differs from that in the index in data block #1"),
            std::string_view::npos)
      << status.ToString();
  Require(InspectTable(*NewMemoryFile("t", bad), options, &inspection));
  ASSERT_EQ(inspection.faults.size(), 1u);
  EXPECT_EQ(inspection.faults[0].kind, BlockKind::kData);
  EXPECT_EQ(inspection.faults[0].index, 1u);
}

// --- Our own files -----------------------------------------------------------

std::string StoredBlock(const std::string& table, BlockKind kind,
                        uint64_t index) {
  const BlockInfo block = FindBlock(BlocksOf(table), kind, index);
  return table.substr(block.offset, block.size);
}

TEST(PartitionedIndex, BytesOfPartitionsAndTopLevel) {
  TableOptions options;
  options.format_version = 4;
  options.compression = CompressionType::kNoCompression;
  options.filter = FilterType::kNone;
  options.block_size = 1;  // one entry per block
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.index_block_restart_interval = 16;
  // The second entry of a partition reaches this size.
  options.metadata_block_size = 20;
  const std::string table =
      BuildTable(options, {Value("ape", 1, "1"), Value("apple", 1, "2"),
                           Value("bear", 1, "3"), Value("bee", 1, "4")});
  const std::vector<BlockInfo> blocks = BlocksOf(table);
  ASSERT_EQ(CountOf(blocks, BlockKind::kIndexPartition), 2u);
  // The data blocks have 23, 25, 24 and 23 bytes, and trailers of 5 bytes
  // between them.
  EXPECT_EQ(Hex(StoredBlock(table, BlockKind::kIndexPartition, 0)),
            Hex(Unhex("0003 617066 0017"
                      "0001 62 1c19"
                      "00000000 01000000")));
  EXPECT_EQ(Hex(StoredBlock(table, BlockKind::kIndexPartition, 1)),
            Hex(Unhex("0003 626562 3a18"
                      "0201 65 01"
                      "00000000 01000000")));
  const TableProperties properties = OpenTable(table)->properties();
  EXPECT_EQ(properties.index_partitions, 2u);
  EXPECT_EQ(properties.top_level_index_size,
            FindBlock(blocks, BlockKind::kIndex).raw_size);
}

TEST(PartitionedIndex, TableWithoutEntriesHasNoPartitions) {
  TableOptions options;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  const std::string table = BuildTable(options, {});
  EXPECT_EQ(CountOf(BlocksOf(table), BlockKind::kIndexPartition), 0u);
  const auto reader = OpenTable(table);
  EXPECT_EQ(reader->properties().index_type, 2u);
  EXPECT_EQ(reader->properties().index_partitions, 0u);
  EXPECT_TRUE(EntriesOf(*reader).empty());
  GetResult result;
  ASSERT_TRUE(reader->Get("any", &result).ok());
  EXPECT_EQ(result.state, GetResult::State::kNotFound);
  EXPECT_EQ(reader->ApproximateOffsetOf("any"), 0u);
}

// Keys at even distances, keys at uneven distances, and too few keys to decide.
TEST(IndexEncoding, UniformBlocksAreMarked) {
  const auto mark = [](double threshold, const std::vector<int>& numbers) {
    TableOptions options;
    options.block_size = 1;
    options.compression = CompressionType::kNoCompression;
    options.uniform_cv_threshold = threshold;
    options.index_shortening = IndexShortening::kNoShortening;
    std::vector<Entry> entries;
    entries.reserve(numbers.size());
    for (const int n : numbers) {
      entries.push_back(
          Value("k" + std::string(1, static_cast<char>(n)), 1, ""));
    }
    const std::string table = BuildTable(options, entries);
    const std::string index = StoredBlock(table, BlockKind::kIndex, 0);
    const bool marked = (index.back() & 0x20) != 0;
    EXPECT_EQ(OpenTable(table)->properties().num_uniform_blocks,
              marked ? 1 : 0);
    EXPECT_EQ(EntriesOf(*OpenTable(table)).size(), entries.size());
    return marked;
  };
  EXPECT_TRUE(mark(0.1, {10, 20, 30, 40, 50}));
  EXPECT_FALSE(mark(-1, {10, 20, 30, 40, 50}));
  EXPECT_FALSE(mark(0, {10, 20, 30, 40, 50}));
  EXPECT_TRUE(mark(0.1, {10, 20, 30}));
  EXPECT_FALSE(mark(0.1, {10, 20}));
  EXPECT_FALSE(mark(0.5, {1, 2, 3, 100}));
  EXPECT_TRUE(mark(2, {1, 2, 3, 100}));
}

// The properties say in what form an index stores keys and handles. Footers up
// to version 5 have no checksum, so the test can change the version in them.
TEST(IndexEncoding, FormsDoNotFollowFromTheVersion) {
  TableOptions options;
  options.format_version = 5;
  options.block_size = 200;
  options.compression = CompressionType::kNoCompression;
  const std::vector<Entry> entries = SomeEntries(300);
  std::string table = BuildTable(options, entries);
  for (const char version : {2, 3, 4}) {
    table[table.size() - internal::kFooterSize + 41] = version;
    const auto reader = OpenTable(table);
    EXPECT_EQ(reader->format_version(), static_cast<uint32_t>(version));
    EXPECT_EQ(reader->properties().index_key_is_user_key, 1u);
    EXPECT_EQ(reader->properties().index_value_is_delta_encoded, 1u);
    EXPECT_TRUE(EntriesOf(*reader) == entries);
  }
  // A new version with the old forms: blocks are aligned, and one key is in
  // several blocks.
  options.format_version = 7;
  options.block_size = 256;
  options.block_align = true;
  std::vector<Entry> versions;
  for (SequenceNumber n = 100; n > 0; --n) {
    versions.push_back(Value("key", n, "some value"));
  }
  const auto reader = OpenTable(BuildTable(options, versions));
  EXPECT_EQ(reader->properties().index_key_is_user_key, 0u);
  EXPECT_EQ(reader->properties().index_value_is_delta_encoded, 0u);
  EXPECT_TRUE(EntriesOf(*reader) == versions);
}

TEST(IndexEncoding, SuccessorOfTheLastKey) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.index_shortening = IndexShortening::kShortenSeparatorsAndSuccessor;
  const auto bytes = [&](const std::string& key) {
    return Hex(StoredBlock(BuildTable(options, {Value(key, 1, "")}),
                           BlockKind::kIndex, 0));
  };
  EXPECT_EQ(bytes("zebra").substr(0, 6), "00017b");
  EXPECT_EQ(bytes("\xff\xffzz").substr(0, 10), "0003ffff7b");
  EXPECT_EQ(bytes("\xff\xff").substr(0, 8), "0002ffff");
}

}  // namespace
}  // namespace ashlar::testing

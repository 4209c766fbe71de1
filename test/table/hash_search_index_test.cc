// Tests the two blocks of a hash search index: their contents, and what verify
// says of damage. The tests in test/interop show that RocksDB finds keys with
// them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/folder.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr const char* kGolden[] = {
    "r78-hashsearch-fv3.sst",  "r78-hashsearch-fv5.sst",
    "r119-hashsearch-fv2.sst", "r119-hashsearch-fv4.sst",
    "r119-hashsearch-fv7.sst", "rdict-fv6-hash.sst"};

TableOptions HashSearch(size_t prefix_size) {
  TableOptions options;
  options.index_type = IndexType::kHashSearch;
  options.prefix_extractor = NewFixedPrefixExtractor(prefix_size);
  options.compression = CompressionType::kNoCompression;
  options.filter = FilterType::kNone;
  options.block_size = 1;  // one entry per block
  return options;
}

TableInspection Inspect(const std::string& table) {
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
  return inspection;
}

const BlockInfo* FindNamed(const TableInspection& inspection,
                           std::string_view name) {
  for (const BlockInfo& block : inspection.blocks) {
    if (block.name == name) return &block;
  }
  return nullptr;
}

std::string Contents(const std::string& table, std::string_view name) {
  const TableInspection inspection = Inspect(table);
  const BlockInfo* const block = FindNamed(inspection, name);
  return block == nullptr ? "none" : table.substr(block->offset, block->size);
}

constexpr std::string_view kPrefixes = "rocksdb.hashindex.prefixes";
constexpr std::string_view kMetadata = "rocksdb.hashindex.metadata";

std::string FirstFault(const std::string& table) {
  const TableInspection inspection = Inspect(table);
  if (inspection.faults.empty()) return {};
  return std::string(inspection.faults[0].status.message());
}

TEST(HashSearchIndex, EachPrefixWithItsRunOfBlocks) {
  const std::string table =
      BuildTable(HashSearch(2),
                 {Value("aa1", 1, ""), Value("aa2", 1, ""), Value("ab1", 1, ""),
                  Value("b_", 2, ""), Value("b_", 1, ""), Value("b_2", 1, "")});
  EXPECT_EQ(Contents(table, kPrefixes), "aaabb_");
  // Two blocks from block 0, one from block 2, and three from block 3.
  EXPECT_EQ(Hex(Contents(table, kMetadata)), "020002020201020303");
  const auto reader = OpenTable(table);
  EXPECT_EQ(reader->properties().index_type, 1u);
  std::vector<Entry> entries;
  Require(ReadForward(*reader, {}, &entries));
  EXPECT_EQ(entries.size(), 6u);
  EXPECT_EQ(FirstFault(table), "");
  // The index size counts the trailer of only one of the three blocks.
  EXPECT_EQ(reader->properties().index_size,
            FindBlock(BlocksOf(table), BlockKind::kIndex).raw_size + 6 + 9 + 5);
}

TEST(HashSearchIndex, SeveralPrefixesInABlock) {
  TableOptions options = HashSearch(1);
  options.block_size = 4096;
  const std::string table = BuildTable(
      options, {Value("a", 1, ""), Value("b", 1, ""), Value("c", 1, "")});
  EXPECT_EQ(Contents(table, kPrefixes), "abc");
  EXPECT_EQ(Hex(Contents(table, kMetadata)), "010001010001010001");
  EXPECT_EQ(FirstFault(table), "");
}

// RocksDB would look up such a key by bytes that the key does not have.
TEST(HashSearchIndex, KeyWithoutPrefixLeavesBothOut) {
  const std::string table =
      BuildTable(HashSearch(2),
                 {Value("aa1", 1, ""), Value("b", 1, ""), Value("bb1", 1, "")});
  EXPECT_EQ(Contents(table, kPrefixes), "none");
  EXPECT_EQ(Contents(table, kMetadata), "none");
  EXPECT_EQ(FirstFault(table), "");
  GetResult result;
  ASSERT_TRUE(OpenTable(table)->Get("b", &result).ok());
  EXPECT_EQ(result.state, GetResult::State::kFound);
}

// RocksDB would look up "ab" with the first byte of the timestamp of the read.
TEST(HashSearchIndex, PrefixMustNotReachIntoTheTimestamp) {
  const std::string timestamp = EncodeU64Ts(7);
  for (const bool persisted : {true, false}) {
    TableOptions options = HashSearch(3);
    options.comparator = BytewiseComparatorWithU64Ts();
    options.persist_user_defined_timestamps = persisted;
    options.prefix_extractor = NewCappedPrefixExtractor(3);
    EXPECT_EQ(Contents(BuildTable(options, {Value("abc1" + timestamp, 1, ""),
                                            Value("abd" + timestamp, 1, "")}),
                       kPrefixes),
              "abcabd");
    const std::string table = BuildTable(
        options,
        {Value("ab" + timestamp, 1, ""), Value("abd" + timestamp, 1, "")});
    EXPECT_EQ(Contents(table, kPrefixes), "none");
    EXPECT_EQ(FirstFault(table), "");
  }
}

TEST(HashSearchIndex, IsTheSameByAnyNumberOfThreads) {
  TableOptions options = HashSearch(5);
  options.block_size = 300;
  const std::vector<Entry> entries = SomeEntries(3000);
  const std::string alone = BuildTable(options, entries);
  BuildOptions build = FixedBuild();
  build.workers = 3;
  EXPECT_TRUE(BuildTable(options, entries, build) == alone);
  EXPECT_EQ(FirstFault(alone), "");
}

TEST(HashSearchIndex, FilesOfOthersAreSound) {
  for (const char* name : kGolden) {
    SCOPED_TRACE(name);
    const std::string bytes = ReadFile(GoldenPath(name));
    const TableInspection inspection = Inspect(bytes);
    EXPECT_NE(FindNamed(inspection, kPrefixes), nullptr);
    EXPECT_TRUE(inspection.faults.empty());
  }
}

// Builds a table with one changed byte in one of the two blocks, under a right
// checksum. Returns the first fault of an inspection.
std::string FaultAfter(std::string_view name, size_t at, char byte) {
  std::string table = BuildTable(
      HashSearch(2),
      {Value("aa1", 1, ""), Value("aa2", 1, ""), Value("ab1", 1, "")});
  const TableInspection sound = Inspect(table);
  const BlockInfo block = *FindNamed(sound, name);
  table[block.offset + at] = byte;
  Resign(block, &table);
  // Our reader does not need the damaged block.
  GetResult result;
  EXPECT_TRUE(OpenTable(table)->Get("aa2", &result).ok());
  EXPECT_EQ(result.state, GetResult::State::kFound);
  return FirstFault(table);
}

TEST(HashSearchIndex, VerifyFindsDamage) {
  const auto says = [](const std::string& fault, std::string_view what) {
    EXPECT_NE(fault.find(what), std::string::npos) << fault;
  };
  // The metadata is 02 00 02 02 02 01: for each prefix its size, its first data
  // block, and its number of data blocks.
  says(FaultAfter(kMetadata, 0, 1), "bad hash index in other block #0 offset ");
  says(FaultAfter(kMetadata, 0, 1), "have 3 bytes, expected 4");
  says(FaultAfter(kMetadata, 2, 0),
       "prefix 0 has 0 data blocks, the first of them block 0, expected one or "
       "more of the table's 3");
  says(FaultAfter(kMetadata, 5, 2),
       "prefix 1 has 2 data blocks, the first of them block 2, expected one or "
       "more of the table's 3");
  says(FaultAfter(kMetadata, 4, 0),
       "prefix 1 begins in data block 0, expected 1 or later");
  says(FaultAfter(kMetadata, 5, '\x80'), "prefix 1 does not decode");
  // The blocks are sound by themselves, but some key is not where they lead.
  says(FaultAfter(kMetadata, 2, 1),
       "hash search index does not lead to a key in data block #1");
  says(FaultAfter(kMetadata, 4, 1),
       "hash search index does not lead to a key in data block #2");
  says(FaultAfter(kPrefixes, 1, 'x'),
       "hash search index does not lead to a key in data block #0");
}

}  // namespace
}  // namespace ashlar::testing

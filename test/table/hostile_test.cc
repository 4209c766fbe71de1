// Tests files that an attacker made to do harm. Their checksums are right and
// their sizes are small, but they ask for much.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/table/inspect.h"
#include "table/block/block_builder.h"
#include "table/meta/plain_block.h"
#include "table/meta/properties_block.h"
#include "test/support/folder.h"
#include "test/support/hand_made_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::BlockBuilder;
using internal::BlockHandle;
using internal::Buffer;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kMaxBlockBytes = 16 * kMiB;

// --- Tables put together by hand ---------------------------------------------

// Returns a block with one key of 1 MiB and thousands of keys that share it and
// add a few bytes. The block has little more than 1 MiB, but its keys have 4
// GiB together. Keys ascend, and each ends with `tail`. The values are block
// handles that ascend too, of blocks that do not exist.
std::string SharedPrefixBlock(std::string_view tail) {
  constexpr uint32_t kEntries = 4000;
  Buffer block;
  BlockBuilder builder(BlockBuilder::kOneRestart, &block);
  std::string key(kMiB + 2, 'p');
  key += tail;
  for (uint32_t i = 0; i < kEntries; ++i) {
    key[kMiB] = static_cast<char>(1 + i / 100);
    key[kMiB + 1] = static_cast<char>(1 + i % 100);
    builder.Add(key, i == 0 ? 0 : kMiB, Coded({uint64_t{i} * 6, 1}));
  }
  return builder.Finish().ToString();
}

// A table with one data block per entry. A member that is set replaces the
// block that Build would make.
struct HandMade {
  std::vector<Entry> entries = {Value("a", 7, "1"), Value("b", 7, "2")};
  std::string index;
  std::string metaindex;
  std::string properties;
  std::string filter;
  // The number of the data block that each index entry names.
  std::vector<size_t> named = {0, 1};

  std::string Build() const;
};

std::string PropertiesFor(uint64_t entries) {
  TableProperties p;
  p.comparator_name = "leveldb.BytewiseComparator";
  p.compression_name = "NoCompression";
  p.num_entries = entries;
  p.num_data_blocks = entries;
  Buffer block;
  internal::EncodeProperties(p, &block);
  return block.slice().ToString();
}

std::string HandMade::Build() const {
  HandMadeTable table;
  std::vector<BlockHandle> data;
  data.reserve(entries.size());
  for (const Entry& entry : entries) {
    data.push_back(table.Append(WholeKeysBlock({entry})));
  }
  std::vector<Entry> rows;
  for (size_t i = 0; i < named.size(); ++i) {
    rows.push_back({entries[i].key, Coded(data[named[i]])});
  }
  std::map<std::string, std::string> meta;
  meta["rocksdb.index"] =
      Coded(table.Append(index.empty() ? WholeKeysBlock(rows) : index));
  if (!filter.empty()) {
    meta["fullfilter.rocksdb.BuiltinBloomFilter"] = Coded(table.Append(filter));
  }
  meta["rocksdb.properties"] = Coded(table.Append(
      properties.empty() ? PropertiesFor(entries.size()) : properties));
  Buffer block;
  internal::EncodePlainBlock(meta, 1, &block);
  return table.FinishWith(metaindex.empty() ? block.slice().ToString()
                                            : metaindex);
}

// --- Results of reading them -------------------------------------------------

TableInspection Inspect(const RandomAccessFile& file) {
  InspectOptions options;
  options.max_uncompressed_block_bytes = kMaxBlockBytes;
  TableInspection found;
  Require(InspectTable(file, options, &found));
  return found;
}

TableInspection InspectBytes(const std::string& bytes) {
  return Inspect(*NewMemoryFile("hostile.sst", bytes));
}

// Opens the table with all its parts. One whose parts are loaded later must
// give the same status, by its opening or by its first walk.
Status OpeningStatus(const std::string& bytes) {
  ReaderOptions options;
  options.max_uncompressed_block_bytes = kMaxBlockBytes;
  options.load_index_and_filter = LoadTime::kAtOpen;
  Status at_open = OpenBytes(bytes, options).status();
  options.load_index_and_filter = LoadTime::kAtFirstUse;
  const auto opened = OpenBytes(bytes, options);
  Status late = opened.status();
  if (late.ok()) {
    Iterator it = opened.value()->NewIterator();
    it.SeekToFirst();
    late = it.status();
    GetResult result;
    if (late.ok()) late = opened.value()->Get("key", &result);
  }
  if (!at_open.ok()) {
    EXPECT_EQ(late.ToString(), at_open.ToString());
  }
  return at_open;
}

// Returns all faults as text, for messages.
std::string Faults(const TableInspection& found) {
  std::string text;
  for (const TableFault& fault : found.faults) {
    text += fault.status.ToString() + "\n";
  }
  return text;
}

bool HasFault(const TableInspection& found, BlockKind kind, Status::Code code,
              std::string_view part) {
  for (const TableFault& fault : found.faults) {
    if (fault.kind == kind && fault.status.code() == code &&
        fault.status.message().find(part) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

void ExpectCorruption(const std::string& bytes, BlockKind kind,
                      std::string_view part) {
  const Status status = OpeningStatus(bytes);
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_NE(status.message().find(part), std::string_view::npos)
      << status.ToString();
  const TableInspection found = InspectBytes(bytes);
  EXPECT_TRUE(HasFault(found, kind, Status::Code::kCorruption, part))
      << Faults(found);
}

// Returns the most memory that this process ever had.
uint64_t PeakBytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

TEST(Hostile, HandMadeTableIsSoundBeforeItIsHarmful) {
  const std::string bytes = HandMade().Build();
  const Status status = OpeningStatus(bytes);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Faults(InspectBytes(bytes)), "");
}

// --- Blocks ------------------------------------------------------------------

// All keys together have 4 GiB. The limit for such a block is about 128 MiB,
// which growing vectors and AddressSanitizer may multiply.
constexpr uint64_t kAllowedGrowth = 1024 * kMiB;
constexpr std::string_view kTooLarge =
    "keys together are many times larger than";

TEST(Hostile, IndexOfKeysThatShareAHugePrefix) {
  HandMade table;
  table.index = SharedPrefixBlock(std::string("\1\7\0\0\0\0\0\0", 8));
  const uint64_t before = PeakBytes();
  ExpectCorruption(table.Build(), BlockKind::kIndex, kTooLarge);
  EXPECT_LT(PeakBytes() - before, kAllowedGrowth);
}

TEST(Hostile, MetaindexOfKeysThatShareAHugePrefix) {
  HandMade table;
  table.metaindex = SharedPrefixBlock("");
  const uint64_t before = PeakBytes();
  ExpectCorruption(table.Build(), BlockKind::kMetaIndex, kTooLarge);
  EXPECT_LT(PeakBytes() - before, kAllowedGrowth);
}

TEST(Hostile, PropertiesOfKeysThatShareAHugePrefix) {
  HandMade table;
  table.properties = SharedPrefixBlock("");
  const uint64_t before = PeakBytes();
  ExpectCorruption(table.Build(), BlockKind::kProperties, kTooLarge);
  EXPECT_LT(PeakBytes() - before, kAllowedGrowth);
}

TEST(Hostile, IndexThatNamesABlockTwice) {
  HandMade table;
  table.named = {0, 0};
  ExpectCorruption(table.Build(), BlockKind::kIndex, "bad block handle");
}

TEST(Hostile, IndexThatGoesBackwards) {
  HandMade table;
  table.named = {1, 0};
  ExpectCorruption(table.Build(), BlockKind::kIndex, "bad block handle");
}

// A walk backward over such a block must not keep all of its keys in memory,
// but must find every one of them.
TEST(Hostile, ManyVersionsOfALongKeyInOneBlock) {
  constexpr SequenceNumber kVersions = 200;
  const std::string key(kMiB / 4, 'k');
  std::vector<Entry> entries = {Value("a", 1, "first")};
  for (SequenceNumber sequence = kVersions; sequence > 0; --sequence) {
    entries.push_back(Value(key, sequence, std::to_string(sequence)));
  }
  entries.push_back(Value("z", 1, "last"));
  for (const int restart_interval : {1000, 70}) {
    TableOptions options;
    options.block_size = 8 * kMiB;
    options.block_restart_interval = restart_interval;
    const std::string bytes = BuildTable(options, entries);
    const TableInspection found = InspectBytes(bytes);
    EXPECT_EQ(Faults(found), "");
    EXPECT_EQ(found.properties->num_data_blocks, 1u);
    const auto reader = OpenTable(bytes);
    std::vector<Entry> forward;
    Require(ReadForward(*reader, {}, &forward));
    EXPECT_TRUE(forward == entries) << forward.size();
    forward.clear();
    std::vector<Entry> backward;
    Require(ReadBackward(*reader, {}, &backward));
    const std::vector<Entry> reversed(entries.rbegin(), entries.rend());
    EXPECT_TRUE(backward == reversed) << backward.size();
  }
}

// --- Filters -----------------------------------------------------------------

// To a reader that trusts the size of this filter, it denies every key.
TEST(Hostile, FilterOfOneByte) {
  HandMade table;
  table.filter = "x";
  ExpectCorruption(table.Build(), BlockKind::kFilter, "bad filter");
}

// A filter of a kind that is not known cannot know, wherever it is kept.
TEST(Hostile, FilterOfAnUnknownKindIsNotAsked) {
  HandMade table;
  table.filter = std::string(64, '\xff') + Unhex("ff 01 06 00 00");
  const std::string bytes = table.Build();
  for (const uint64_t kept : {0, 1, 2}) {
    ReaderOptions options;
    if (kept != 0) {
      options.block_cache = AnyBlockCache(kept);
      options.cache_index_and_filter_blocks = true;
      options.unpartitioned_pinning =
          kept == 1 ? PinningTier::kNone : PinningTier::kAll;
    }
    const auto reader = OpenBytes(bytes, options);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    GetResult result;
    ASSERT_TRUE((*reader)->Get("no such key", &result).ok());
    EXPECT_EQ(result.filter, GetResult::Filter::kNone) << kept;
    const Slice keys[] = {"no such key"};
    Status status;
    (*reader)->MultiGet({}, keys, kMaxSequenceNumber, {&result, 1},
                        {&status, 1});
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(result.filter, GetResult::Filter::kNone) << kept;
  }
}

TEST(Hostile, BloomFilterOfNoPossibleSize) {
  for (const size_t size : {1u, 63u, 65u, 127u}) {
    HandMade table;
    table.filter = std::string(size, '\xff') + Unhex("ff 00 06 00 00");
    const TableInspection found = InspectBytes(table.Build());
    EXPECT_TRUE(HasFault(found, BlockKind::kFilter, Status::Code::kCorruption,
                         "bad filter"))
        << size << ": " << Faults(found);
  }
  HandMade sound;
  sound.filter = std::string(64, '\xff') + Unhex("ff 00 06 00 00");
  EXPECT_EQ(Faults(InspectBytes(sound.Build())), "");
}

TEST(Hostile, BloomFilterThatDeniesItsKeys) {
  HandMade table;
  table.filter = std::string(64, '\0') + Unhex("ff 00 06 00 00");
  const TableInspection found = InspectBytes(table.Build());
  EXPECT_TRUE(HasFault(found, BlockKind::kData, Status::Code::kCorruption,
                       "filter does not match a key"))
      << Faults(found);
}

// Their offsets are behind the block.
TEST(Hostile, FilterOfLevelDbWithoutItsFilters) {
  HandMadeTable table;
  const BlockHandle data = table.Append(WholeKeysBlock({Value("a", 7, "1")}));
  table.properties.num_entries = table.properties.num_data_blocks = 1;
  table.SetIndex(
      table.Append(WholeKeysBlock({{Value("a", 7, "").key, Coded(data)}})));
  table.Name("filter.leveldb.BuiltinBloomFilter2",
             table.Append(std::string(8, '\xff') + "\x0b"));
  // What a name that is not known means is not judged.
  table.Name("rocksdb.something", data);
  const TableInspection found = InspectBytes(table.Finish());
  EXPECT_TRUE(HasFault(found, BlockKind::kFilter, Status::Code::kCorruption,
                       "the offsets of its filters are not within its 9 bytes"))
      << Faults(found);
}

// --- Unsupported properties --------------------------------------------------

TEST(Hostile, PropertiesThatAreNotSupported) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"index-type-9.sst", "index type 9"},
      {"compression-unknownmgr.sst", "compression manager 'Nobody'"}};
  for (const auto& [name, reason] : cases) {
    const std::string bytes = ReadFile(GoldenPath("bad/" + name));
    const TableInspection found = Inspect(*NewMemoryFile(name, bytes));
    EXPECT_TRUE(found.properties.has_value()) << name;
    EXPECT_TRUE(HasFault(found, BlockKind::kProperties,
                         Status::Code::kNotSupported, reason))
        << name << ": " << Faults(found);
  }
}

}  // namespace
}  // namespace ashlar::testing

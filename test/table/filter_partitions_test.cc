// Tests partitioned filters: what is asked of them, what damage does, and where
// our partitions are cut. The interop tests show that RocksDB reads our
// partitions and cuts them at the same places.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/worker_pool.h"
#include "test/support/folder.h"
#include "test/support/hand_made_table.h"
#include "test/support/reference_reader.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

std::string Golden(const std::string& name) {
  return ReadFile(GoldenPath(name));
}

std::vector<Entry> EntriesOf(const TableReader& reader) {
  std::vector<Entry> entries;
  Require(ReadForward(reader, {}, &entries));
  return entries;
}

size_t PartitionsOf(const std::string& table) {
  size_t n = 0;
  for (const BlockInfo& block : BlocksOf(table)) {
    n += block.kind == BlockKind::kFilterPartition ? 1 : 0;
  }
  return n;
}

// Returns how many absent keys near the present ones the filter rules out. It
// must never rule out a present key.
size_t RuledOut(const TableReader& reader, const std::vector<Entry>& entries) {
  size_t ruled_out = 0;
  for (const Entry& entry : entries) {
    const std::string key = UserKeyOf(entry.key).ToString();
    GetResult result;
    Require(reader.Get({}, key, kMaxSequenceNumber, &result,
                       [](const Slice&, SequenceNumber) { return true; }));
    EXPECT_NE(result.state, GetResult::State::kNotFound);
    EXPECT_EQ(result.filter, GetResult::Filter::kMaybe);
    Require(reader.Get(key + "!absent", &result));
    EXPECT_EQ(result.state, GetResult::State::kNotFound);
    ruled_out += result.filter == GetResult::Filter::kAbsent ? 1 : 0;
  }
  return ruled_out;
}

// More partitions than a crew takes at once wait for their turn: those without
// any hash fill no limit of hashes.
TEST(FilterPartitions, ManyEmptyOnesAreBuiltByWorkers) {
  constexpr int kEntries = 140000;
  TableOptions options;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  options.decouple_partitioned_filters = false;
  options.filter = FilterType::kBloom;
  options.whole_key_filtering = false;
  options.prefix_extractor = NewFixedPrefixExtractor(1);
  options.metadata_block_size = 1;
  options.block_size = 1;
  options.compression = CompressionType::kNoCompression;
  WorkerPool pool(2);
  BuildOptions build;
  build.worker_pool = &pool;
  build.workers = 2;
  std::string bytes;
  const auto file = NewMemoryWritableFile("many.sst", &bytes);
  auto builder = TableBuilder::Create(options, build, file.get());
  Require(builder.status());
  for (int i = 0; i < kEntries; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "%08d", i);
    Require(
        (*builder)->Add(Slice(key), PackTail(1, ValueType::kTypeValue), ""));
  }
  Require((*builder)->Finish());
  EXPECT_GT(PartitionsOf(bytes), size_t{1} << 16);
}

TEST(FilterPartitions, OfGoldenFilesRuleOut) {
  for (const char* name :
       {"r119-partfilter-coupled.sst", "r119-partfilter-fv7.sst",
        "r78-partfilter-fv5.sst", "r119-partfilter-prefix-fv7.sst",
        "r78-partfilter-prefix-fv5.sst"}) {
    SCOPED_TRACE(name);
    const std::string table = Golden(name);
    EXPECT_GT(PartitionsOf(table), 1u);
    const auto reader = OpenTable(table);
    const std::vector<Entry> entries = EntriesOf(*reader);
    EXPECT_GT(RuledOut(*reader, entries), entries.size() / 2);
  }
}

TableOptions Options() {
  TableOptions options;
  options.block_size = 300;
  options.compression = CompressionType::kNoCompression;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.metadata_block_size = 150;
  options.partition_filters = true;
  return options;
}

// Some keys have many versions, so separators are internal keys.
std::vector<Entry> VersionedEntries() {
  std::vector<Entry> entries;
  for (int i = 1000; i < 2500; ++i) {
    const uint64_t versions = i % 100 == 0 ? 200 : 1;
    for (uint64_t n = versions; n > 0; --n) {
      entries.push_back(Value("key" + std::to_string(i), n, "some value"));
    }
  }
  return entries;
}

TEST(FilterPartitions, OfOursRuleOut) {
  for (const bool decoupled : {true, false}) {
    for (const uint32_t version : {2u, 5u, 7u}) {
      for (const bool versions : {true, false}) {
        SCOPED_TRACE(version);
        TableOptions options = Options();
        options.format_version = version;
        options.decouple_partitioned_filters = decoupled;
        const std::vector<Entry> entries =
            versions ? VersionedEntries() : SomeEntries(1500);
        const std::string table = BuildTable(options, entries);
        EXPECT_GT(PartitionsOf(table), 5u);
        const auto reader = OpenTable(table);
        EXPECT_TRUE(reader->VerifyChecksum().ok());
        EXPECT_GT(RuledOut(*reader, entries), entries.size() * 9 / 10);
        const auto pinned =
            OpenTable(table, {.partition_pinning = PinningTier::kAll});
        EXPECT_GT(pinned->MemoryUsage(), OpenTable(table)->MemoryUsage());
        TableInspection inspection;
        Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
        EXPECT_TRUE(inspection.faults.empty());
      }
    }
  }
}

// Keys have up to 40 versions, and none before timestamp 1.
std::vector<Entry> TimedEntries(bool stripped) {
  std::vector<Entry> entries;
  for (int i = 1000; i < 1600; ++i) {
    const uint64_t versions = stripped ? 1 : i % 50 == 0 ? 40 : 2;
    for (uint64_t ts = versions; ts > 0; --ts) {
      entries.push_back(Value(
          "key" + std::to_string(i) + EncodeU64Ts(stripped ? 0 : ts), ts, "v"));
    }
  }
  return entries;
}

// Reads each key at each of some timestamps. Returns how many absent keys near
// them are ruled out per timestamp.
size_t RuledOutAt(const TableReader& reader, const std::vector<Entry>& entries,
                  bool stripped) {
  size_t ruled_out = 0;
  for (const uint64_t ts : std::vector<uint64_t>{0, 1, 17, ~uint64_t{0}}) {
    const std::string stamp = EncodeU64Ts(ts);
    ReadOptions at;
    at.timestamp = stamp;
    const auto expected = stripped || ts != 0 ? GetResult::State::kFound
                                              : GetResult::State::kNotFound;
    for (const Entry& entry : entries) {
      const std::string key =
          WithoutTimestamp(UserKeyOf(entry.key), stamp.size()).ToString();
      GetResult result;
      Require(reader.Get(at, key, kMaxSequenceNumber, &result));
      EXPECT_EQ(result.state, expected) << key << " at " << ts;
      EXPECT_EQ(result.filter, GetResult::Filter::kMaybe);
      Require(reader.Get(at, key + "!absent", kMaxSequenceNumber, &result));
      ruled_out += result.filter == GetResult::Filter::kAbsent ? 1 : 0;
    }
  }
  return ruled_out / 4;
}

// The filter has keys without timestamps, whether or not the file stores them.
// A partition that is cut between two versions of a key ends after all versions
// of that key.
TEST(FilterPartitions, OfKeysWithTimestampsRuleOut) {
  for (const bool decoupled : {true, false}) {
    for (const uint32_t version : {2u, 5u, 7u}) {
      for (const bool stripped : {true, false}) {
        SCOPED_TRACE(version);
        TableOptions options = Options();
        options.format_version = version;
        options.decouple_partitioned_filters = decoupled;
        options.comparator = BytewiseComparatorWithU64Ts();
        options.persist_user_defined_timestamps = !stripped;
        options.prefix_extractor = NewFixedPrefixExtractor(6);
        const std::vector<Entry> entries = TimedEntries(stripped);
        const std::string table = BuildTable(options, entries);
        EXPECT_GT(PartitionsOf(table), 5u);
        const auto reader = OpenTable(table);
        EXPECT_TRUE(EntriesOf(*reader) == entries);
        EXPECT_GT(RuledOutAt(*reader, entries, stripped),
                  entries.size() * 9 / 10);
        TableInspection inspection;
        Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
        EXPECT_TRUE(inspection.faults.empty());
        const ReferenceTable read = ReadReferenceTable(table);
        EXPECT_EQ(read.filter_partitions.size(), PartitionsOf(table));
        if (!decoupled || !read.separators_are_user_keys) continue;
        for (const auto& [end, payload] : read.filter_partitions) {
          EXPECT_EQ(end.size(), stripped ? 7u : 15u);
          EXPECT_TRUE(stripped || end.ends_with(EncodeU64Ts(0)));
        }
      }
    }
  }
}

// Returns how many of the entries come up to the end of each partition. Their
// keys must be of the same length.
std::vector<size_t> EndsOfPartitions(const TableOptions& options,
                                     const std::vector<Entry>& entries) {
  const ReferenceTable table = ReadReferenceTable(BuildTable(options, entries));
  std::vector<size_t> ends;
  size_t end = 0;
  for (const auto& partition : table.filter_partitions) {
    while (end < entries.size() &&
           UserKeyOf(entries[end].key).ToString() <= partition.first) {
      ++end;
    }
    ends.push_back(end);
  }
  return ends;
}

// A partition ends before the key that it has no room for: not earlier, and not
// later. Two lines of 64 bytes, at 10 bits per key, have room for 102 hashes.
TEST(FilterPartitions, EachIsFullWhenItIsCut) {
  TableOptions options = Options();
  std::vector<Entry> entries;
  for (int i = 1000; i < 1400; ++i) {
    entries.push_back(Value("key" + std::to_string(i) + "x", 1, "v"));
  }
  EXPECT_EQ(EndsOfPartitions(options, entries),
            (std::vector<size_t>{102, 204, 306, 400}));
  // Each key adds a hash of its own and one of its prefix, which no other key
  // has. At a cut, each side also gets the prefix of the other side.
  options.prefix_extractor = NewFixedPrefixExtractor(7);
  EXPECT_EQ(EndsOfPartitions(options, entries),
            (std::vector<size_t>{51, 101, 151, 201, 251, 301, 351, 400}));
}

// If filter and index are cut together, a filter partition ends one data block
// after the index partition: it includes the block whose entry begins the next
// partition.
TEST(FilterPartitions, CoupledOnesTrailTheIndexByABlock) {
  TableOptions options = Options();
  options.decouple_partitioned_filters = false;
  for (const std::string& bytes : {Golden("r119-partfilter-coupled.sst"),
                                   BuildTable(options, SomeEntries(1500))}) {
    const ReferenceTable table = ReadReferenceTable(bytes);
    const size_t parts = table.filter_partitions.size();
    ASSERT_GT(parts, 2u);
    ASSERT_EQ(table.index_partition_sizes.size(), parts);
    size_t end = 0;
    for (size_t i = 0; i + 1 < parts; ++i) {
      end += table.index_partition_sizes[i];
      EXPECT_EQ(table.filter_partitions[i].first, table.index[end].first);
    }
    EXPECT_EQ(table.filter_partitions.back().first, table.index.back().first);
  }
}

// Reads that need the damaged partition fail and name it. Other reads succeed.
TEST(FilterPartitions, DamageFailsOnlyWhatNeedsThePartition) {
  const std::vector<Entry> entries = SomeEntries(1500);
  std::string table = BuildTable(Options(), entries);
  const BlockInfo block =
      FindBlock(BlocksOf(table), BlockKind::kFilterPartition, 3);
  table[block.offset + 7] ^= 1;
  const std::string place =
      "filter-partition block #3 offset " + std::to_string(block.offset);
  const auto reader = OpenTable(table);
  size_t failed = 0;
  for (const Entry& entry : entries) {
    GetResult result;
    const Status status = reader->Get(UserKeyOf(entry.key), &result);
    if (status.ok()) continue;
    ++failed;
    ASSERT_NE(status.message().find(place), std::string_view::npos);
  }
  EXPECT_GT(failed, 0u);
  EXPECT_LT(failed, entries.size() / 2);
  EXPECT_TRUE(EntriesOf(*reader) == entries);
  EXPECT_TRUE(reader->VerifyChecksum().IsCorruption());
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
  ASSERT_EQ(inspection.faults.size(), 1u);
  EXPECT_EQ(inspection.faults[0].kind, BlockKind::kFilterPartition);
  EXPECT_EQ(inspection.faults[0].index, 3u);
}

// Filter bits are cleared under a right checksum. The inspection finds that
// because it asks the filter about every key.
TEST(FilterPartitions, VerificationAsksThePartitions) {
  std::string table = BuildTable(Options(), SomeEntries(1500));
  const BlockInfo block =
      FindBlock(BlocksOf(table), BlockKind::kFilterPartition, 2);
  for (uint64_t i = 0; i + 5 < block.size; ++i) table[block.offset + i] = 0;
  Resign(block, &table);
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
  ASSERT_FALSE(inspection.faults.empty());
  EXPECT_NE(
      inspection.faults[0].status.message().find("filter does not match a key"),
      std::string_view::npos);
}

// A partition can be searched for only if the partitions' ends ascend.
TEST(FilterPartitions, VerificationTellsEndsOutOfOrder) {
  std::string table = BuildTable(Options(), SomeEntries(1500));
  const std::string end = ReadReferenceTable(table).filter_partitions[4].first;
  std::optional<BlockInfo> top;
  for (const BlockInfo& block : BlocksOf(table)) {
    if (block.name.starts_with("partitionedfilter")) top = block;
  }
  ASSERT_TRUE(top.has_value());
  const size_t at = table.find(end, top->offset);
  ASSERT_LT(at, top->offset + top->size);
  table[at] = 'a';
  Resign(*top, &table);
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
  ASSERT_EQ(inspection.faults.size(), 1u);
  EXPECT_EQ(inspection.faults[0].kind, BlockKind::kFilter);
  EXPECT_NE(inspection.faults[0].status.message().find(
                ": entry 4 sorts before entry 3"),
            std::string_view::npos)
      << inspection.faults[0].status.message();
}

// Blocks that wait for a dictionary have no block handle yet. The filter must
// wait for the handle, and keep their keys meanwhile.
TEST(FilterPartitions, CoupledOnesAreCutAlsoWithADictionary) {
  // The dictionary needs a codec that takes one. CI builds with every codec.
  if (!IsCompressionSupported(CompressionType::kZlibCompression)) {
    GTEST_SKIP() << "this build leaves zlib out, whose dictionary is tested";
  }
  for (const uint64_t buffer_bytes : {0u, 5000u}) {
    TableOptions options = Options();
    options.separate_key_value_in_data_block = buffer_bytes == 0;
    options.decouple_partitioned_filters = false;
    options.compression = CompressionType::kZlibCompression;
    const std::vector<Entry> entries = VersionedEntries();
    const size_t without = PartitionsOf(BuildTable(options, entries));
    options.compression_opts.max_dict_bytes = 1000;
    options.compression_opts.max_dict_buffer_bytes = buffer_bytes;
    const std::string table = BuildTable(options, entries);
    EXPECT_GT(without, 5u);
    EXPECT_EQ(PartitionsOf(table), without);
    EXPECT_GT(RuledOut(*OpenTable(table), entries), entries.size() * 9 / 10);
    TableInspection inspection;
    Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
    EXPECT_TRUE(inspection.faults.empty());
  }
}

// A prefix on both sides of a cut is in both partitions.
TEST(FilterPartitions, PrefixesAtTheCutAreInBoth) {
  for (const bool whole_keys : {true, false}) {
    TableOptions options = Options();
    options.prefix_extractor =
        FindBuiltinPrefixExtractor("rocksdb.FixedPrefix.7");
    ASSERT_NE(options.prefix_extractor, nullptr);
    options.whole_key_filtering = whole_keys;
    const std::vector<Entry> entries = SomeEntries(3000);
    const std::string table = BuildTable(options, entries);
    EXPECT_GT(PartitionsOf(table), 1u);
    TableInspection inspection;
    Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
    EXPECT_TRUE(inspection.faults.empty());
    const auto reader = OpenTable(table);
    for (const Entry& entry : entries) {
      GetResult result;
      ASSERT_TRUE(reader->Get(UserKeyOf(entry.key), &result).ok());
      ASSERT_EQ(result.state, GetResult::State::kFound);
    }
  }
}

TEST(FilterPartitions, NoneWithoutKeys) {
  const std::string table = BuildTable(Options(), {});
  EXPECT_EQ(PartitionsOf(table), 0u);
  GetResult result;
  ASSERT_TRUE(OpenTable(table)->Get("any", &result).ok());
  EXPECT_EQ(result.filter, GetResult::Filter::kNone);
}

// Returns a table of the key k, whose filter has this one partition.
std::string TableOfPartition(const std::string& partition, uint8_t type) {
  const std::string key = Value("k", 7, "").key;
  HandMadeTable table;
  table.properties.num_entries = 1;
  table.properties.num_data_blocks = 1;
  table.properties.compression_name = "Snappy";
  const auto data = table.Append(WholeKeysBlock({{key, "v"}}));
  table.SetIndex(table.Append(WholeKeysBlock({{key, Coded(data)}})));
  const auto part = table.Append(partition, type);
  table.Name("partitionedfilter.rocksdb.BuiltinBloomFilter",
             table.Append(WholeKeysBlock({{key, Coded(part)}})));
  return table.Finish();
}

// Their checksums are right.
TEST(PartitionedFilter, PartitionsThatNoBuilderMakes) {
  const std::string metadata = Unhex("ff 00 06 00 00");
  const std::string sound = std::string(64, '\xff') + metadata;
  GetResult result;
  Require(OpenTable(TableOfPartition(sound, 0))->Get("k", &result));
  EXPECT_EQ(result.filter, GetResult::Filter::kMaybe);
  const struct {
    std::string partition;
    uint8_t type;
    std::string message;
  } cases[] = {// Snappy: 69 bytes announced, and one literal of 69 bytes.
               {"\x45\xf0\x44" + sound, 1, ": it is compressed"},
               {std::string(65, '\xff') + metadata, 0,
                ": its size or its parameters do not fit its kind"}};
  for (const auto& c : cases) {
    const std::string table = TableOfPartition(c.partition, c.type);
    const Status got = OpenTable(table)->Get("k", &result);
    EXPECT_TRUE(got.IsCorruption());
    EXPECT_TRUE(got.message().starts_with(
        "test.sst: bad filter in filter-partition block #0 "))
        << got.ToString();
    EXPECT_TRUE(got.message().ends_with(c.message)) << got.ToString();
    TableInspection found;
    Require(InspectTable(*NewMemoryFile("test.sst", table), {}, &found));
    ASSERT_EQ(found.faults.size(), 1u);
    EXPECT_EQ(found.faults[0].kind, BlockKind::kFilterPartition);
    EXPECT_TRUE(found.faults[0].status.message().ends_with(c.message))
        << found.faults[0].status.ToString();
  }
}

}  // namespace
}  // namespace ashlar::testing

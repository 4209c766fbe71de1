// Tests ApproximateKeyAnchors and Prefetch.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

TEST(KeyAnchors, DivideATable) {
  ForEachSeed(1, 150, [&](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    options.comparator = table.options.comparator;
    const auto reader =
        OpenTable(BuildTable(table.options, table.model.entries()), options);
    const uint64_t most = random.Between(1, 20);
    std::vector<KeyAnchor> anchors(1);  // it appends
    Require(reader->ApproximateKeyAnchors({}, most, &anchors));
    anchors.erase(anchors.begin());
    const auto& entries = table.model.entries();
    ASSERT_EQ(anchors.empty(), entries.empty());
    ASSERT_LE(anchors.size(), most);
    uint64_t bytes = 0;
    const Comparator& order = *reader->comparator();
    for (size_t i = 0; i < anchors.size(); ++i) {
      bytes += anchors[i].bytes;
      if (i != 0) {
        // Versions of one key may be in several pieces.
        ASSERT_LE(order.Compare(anchors[i - 1].user_key, anchors[i].user_key),
                  0);
      }
    }
    // Blobs, and padding after a block, count as data of the file.
    ASSERT_LE(bytes, reader->properties().data_size);
    if (!table.options.embedded_blob_options.enable &&
        !table.options.block_align) {
      ASSERT_EQ(bytes, reader->properties().data_size);
    }
    if (entries.empty()) return;
    ASSERT_GE(
        order.Compare(anchors.back().user_key, UserKeyOf(entries.back().key)),
        0);
  });
}

TEST(KeyAnchors, HaveNoTimestampsWhetherTheTableStoresThemOrNot) {
  for (const bool persists : {true, false}) {
    TableOptions options;
    options.block_size = 200;
    options.comparator = BytewiseComparatorWithU64Ts();
    options.persist_user_defined_timestamps = persists;
    std::vector<Entry> entries;
    entries.reserve(1000);
    for (int i = 1000; i < 2000; ++i) {
      entries.push_back(
          Value("key" + std::to_string(i) + std::string(8, '\0'), 7, "value"));
    }
    const auto reader = OpenTable(BuildTable(options, entries),
                                  {.comparator = options.comparator});
    std::vector<KeyAnchor> anchors;
    Require(reader->ApproximateKeyAnchors({}, 10, &anchors));
    ASSERT_GE(anchors.size(), 9U);
    for (const KeyAnchor& anchor : anchors) {
      EXPECT_LE(anchor.user_key.size(), 7U);
    }
  }
}

TEST(KeyAnchors, AreAboutEquallyFarApart) {
  TableOptions options;
  options.block_size = 200;
  options.compression = CompressionType::kNoCompression;
  const auto reader = OpenTable(BuildTable(options, SomeEntries(5000)));
  std::vector<KeyAnchor> anchors;
  Require(reader->ApproximateKeyAnchors({}, 10, &anchors));
  ASSERT_GE(anchors.size(), 9U);
  const uint64_t tenth = reader->properties().data_size / 10;
  for (const KeyAnchor& anchor : anchors) {
    EXPECT_LT(anchor.bytes, tenth + 400);
  }
  Require(reader->ApproximateKeyAnchors({}, 0, &anchors));
  EXPECT_LE(anchors.size(), 10U);
}

// A table of equal blocks, and less than one block to spare.
TEST(KeyAnchors, AreNotMoreThanAskedFor) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  options.block_size = 1;
  std::vector<Entry> entries;
  for (int i = 100; i < 200; ++i) {
    entries.push_back(Value(std::to_string(i), 7, "value"));
  }
  entries.push_back(Value("2", 7, ""));
  const auto reader = OpenTable(BuildTable(options, entries));
  ASSERT_EQ(reader->properties().num_data_blocks, entries.size());
  for (uint64_t most = 1; most <= entries.size(); ++most) {
    std::vector<KeyAnchor> anchors;
    Require(reader->ApproximateKeyAnchors({}, most, &anchors));
    EXPECT_LE(anchors.size(), most);
    EXPECT_GE(anchors.size(), most / 2);
  }
}

TEST(ApproximateSizes, AddUpToTheFile) {
  TableOptions options;
  options.block_size = 300;
  options.filter = FilterType::kBloom;
  const std::string bytes = BuildTable(options, SomeEntries(3000));
  const auto reader = OpenTable(bytes);
  EXPECT_EQ(reader->ApproximateSize("", "z"), bytes.size());
  EXPECT_EQ(reader->ApproximateSize("z", ""), 0U);
  EXPECT_EQ(reader->ApproximateSize("key5", "key5"), 0U);
  EXPECT_GT(bytes.size(), reader->properties().data_size * 11 / 10);
  const uint64_t parts = reader->ApproximateSize("", "key3") +
                         reader->ApproximateSize("key3", "key7") +
                         reader->ApproximateSize("key7", "z");
  EXPECT_LE(parts, bytes.size());
  EXPECT_GE(parts + 3, bytes.size());
  EXPECT_EQ(OpenTable(BuildTable({}, {}))->ApproximateSize("", "z"), 0U);
}

// With meta_blocks_only, damage is found in meta blocks alone.
TEST(MetaBlockChecksums, AreThoseOfMetaBlocks) {
  TableOptions options;
  options.format_version = 5;
  options.block_size = 300;
  options.filter = FilterType::kBloom;
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  options.metadata_block_size = 200;
  const std::string bytes = BuildTable(options, SomeEntries(500));
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("test.sst", bytes), {}, &inspection));
  ReaderOptions lazy;
  lazy.load_index_and_filter = LoadTime::kAtFirstUse;
  uint64_t meta = 0;
  for (const BlockInfo& block : inspection.blocks) {
    if (block.size == 0) continue;
    std::string damaged = bytes;
    damaged[block.offset] ^= 1;
    const auto reader = OpenBytes(damaged, lazy);
    if (!reader.ok()) continue;  // a block that opening reads
    const bool is_meta = block.kind == BlockKind::kFilter;
    meta += is_meta ? 1 : 0;
    EXPECT_EQ((*reader)->VerifyChecksum({}, true).ok(), !is_meta)
        << static_cast<int>(block.kind);
    EXPECT_FALSE((*reader)->VerifyChecksum({}, false).ok());
  }
  EXPECT_EQ(meta, 1U);
  EXPECT_TRUE(OpenTable(bytes)->VerifyChecksum({}, true).ok());
}

// Returns the data blocks with keys in the range, by a walk over it.
uint64_t BlocksOf(const TableReader& reader, const Slice* begin,
                  const Slice* end, const std::vector<BlockInfo>& blocks) {
  uint64_t count = 0;
  ReadOptions options;
  options.ignore_range_deletions = true;
  options.iterate_lower_bound = begin;
  options.iterate_upper_bound = end;
  Iterator it = reader.NewIterator(options);
  it.SeekToFirst();
  const uint64_t from =
      it.Valid() ? reader.ApproximateOffsetOf(it.user_key()) : 0;
  it.SeekToLast();
  const uint64_t to =
      it.Valid() ? reader.ApproximateOffsetOf(it.user_key()) : 0;
  if (!it.Valid()) return 0;
  for (const BlockInfo& block : blocks) {
    if (block.kind != BlockKind::kData) continue;
    count += block.offset >= from && block.offset <= to ? 1 : 0;
  }
  return count;
}

// After it, a walk over the range that may not read the file finds all.
TEST(Prefetch, LoadsTheBlocksOfARange) {
  ForEachSeed(1, 200, [&](uint64_t seed) {
    Random random(seed);
    RandomTable table = MakeRandomTable(&random);
    // Blobs are in no cache.
    table.options.embedded_blob_options.enable = false;
    if (random.OneIn(3)) {
      table.options.index_type = IndexType::kTwoLevelIndexSearch;
      table.options.metadata_block_size = 200;
      if (!table.options.Validate().ok()) return;
    }
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    options.comparator = table.options.comparator;
    options.block_cache = NewLruCache({.capacity = 64 << 20}).value();
    if (random.OneIn(3)) options.load_index_and_filter = LoadTime::kAtFirstUse;
    options.cache_index_and_filter_blocks = random.OneIn(2);
    const auto reader =
        OpenTable(BuildTable(table.options, table.model.entries()), options);
    const auto& entries = table.model.entries();
    std::string keys[2];
    for (std::string& key : keys) {
      if (!entries.empty()) {
        key = UserKeyOf(entries[random.Below(entries.size())].key).ToString();
      }
      if (random.OneIn(3)) key += "x";
    }
    const Slice slices[2] = {Slice(keys[0]), Slice(keys[1])};
    ReadOptions read;
    read.iterate_lower_bound = random.OneIn(4) ? nullptr : &slices[0];
    read.iterate_upper_bound = random.OneIn(4) ? nullptr : &slices[1];
    ReadOptions how;
    how.fill_cache = random.OneIn(2);
    Require(reader->Prefetch(how, read.iterate_lower_bound,
                             read.iterate_upper_bound));
    std::vector<std::string> cached;
    std::vector<std::string> all;
    for (const bool from_memory : {true, false}) {
      read.read_tier =
          from_memory ? ReadTier::kBlockCacheTier : ReadTier::kReadAllTier;
      Iterator it = reader->NewIterator(read);
      for (it.SeekToFirst(); it.Valid(); it.Next()) {
        (from_memory ? cached : all).push_back(it.key().ToString());
      }
      Require(it.status());
    }
    ASSERT_EQ(cached, all);
  });
}

// It loads no others, except one at each end.
TEST(Prefetch, LoadsNoOtherBlocks) {
  TableOptions options;
  options.block_size = 200;
  std::vector<Entry> entries = SomeEntries(2000);
  const std::string bytes = BuildTable(options, entries);
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("test.sst", bytes), {}, &inspection));
  for (size_t from = 0; from < 1500; from += 377) {
    ReaderOptions reader_options;
    reader_options.block_cache = NewLruCache({.capacity = 64 << 20}).value();
    const auto reader = OpenTable(bytes, reader_options);
    const Slice begin = UserKeyOf(entries[from].key);
    const Slice end = UserKeyOf(entries[from + 400].key);
    Require(reader->Prefetch({}, &begin, &end));
    const uint64_t loaded = reader_options.block_cache->GetOccupancyCount();
    const uint64_t needed =
        BlocksOf(*OpenTable(bytes), &begin, &end, inspection.blocks);
    EXPECT_GE(loaded, needed);
    EXPECT_LE(loaded, needed + 2);
    EXPECT_GT(needed, 32U);
  }
}

TEST(Prefetch, WithoutACacheOrARange) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(100)));
  EXPECT_TRUE(reader->Prefetch({}, nullptr, nullptr).ok());
  const Slice begin = "key9";
  const Slice end = "key1";
  EXPECT_TRUE(reader->Prefetch({}, &begin, &end).ok());
}

TEST(Prefetch, ReportsDamage) {
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  std::string bytes = BuildTable(options, SomeEntries(100));
  bytes[20] ^= 1;
  ReaderOptions reader_options;
  reader_options.block_cache = NewLruCache({.capacity = 1 << 20}).value();
  const Status status =
      OpenTable(bytes, reader_options)->Prefetch({}, nullptr, nullptr);
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_TRUE(status.message().starts_with("test.sst: ")) << status.ToString();
}

}  // namespace
}  // namespace ashlar::testing

// Tests the table cache: what it opens, closes and counts, its errors, and
// what it erases from the block cache.

#include "ashlar/table/table_cache.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "test/support/folder.h"
#include "test/table/table_cache_fixture.h"

namespace ashlar::testing {
namespace {

class TableCacheTest : public ::testing::Test {
 protected:
  TableCacheTest() {
    options_.open = files_.Function();
    options_.reader_options.statistics = std::make_shared<Statistics>();
  }
  uint64_t Counted(Ticker ticker) const {
    return options_.reader_options.statistics->GetTickerCount(ticker);
  }

  CountingFiles files_;
  TableCacheOptions options_;
};

TEST_F(TableCacheTest, FindOpensOnceAndReads) {
  const auto cache = MakeTableCache(options_);
  const TableHandle table = MustFind(cache.get(), 7);
  const uint64_t expected = table->ExpectedMemoryUsage();
  EXPECT_GT(expected, table->MemoryUsage());
  GetResult result;
  Require(table->Get("key00003", &result));
  EXPECT_EQ(result.value.ToString(), "value3");
  const TableHandle again = MustFind(cache.get(), 7);
  EXPECT_EQ(again.get(), table.get());
  EXPECT_EQ(files_.Openings(7), 1);
  EXPECT_EQ(cache->OpenTables(), 1u);
  EXPECT_EQ(cache->MemoryUsage(), expected);
  EXPECT_FALSE(cache->FindOpen(8));
  EXPECT_EQ(cache->FindOpen(7).get(), table.get());
  EXPECT_EQ(Counted(Ticker::kNoFileOpens), 1u);
  EXPECT_EQ(Counted(Ticker::kTableCacheMiss), 1u);
  EXPECT_EQ(Counted(Ticker::kTableCacheHit), 2u);
}

TEST_F(TableCacheTest, HandlesMove) {
  const auto cache = MakeTableCache(options_);
  options_.max_open_files = 0;
  const auto none = MakeTableCache(options_);
  TableHandle a = MustFind(none.get(), 1);
  TableHandle b = std::move(a);
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_FALSE(a);
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.Move)
  EXPECT_EQ(a.get(), nullptr);
  EXPECT_EQ(none->OpenTables(), 1u);
  b = MustFind(none.get(), 2);
  EXPECT_EQ(b->file().name(), "2.1.sst");
  EXPECT_EQ(none->OpenTables(), 1u);
  b = TableHandle();
  EXPECT_EQ(none->OpenTables(), 0u);
  b.Reset();
}

TEST_F(TableCacheTest, ClosesTheLeastRecentlyUsed) {
  options_.max_open_files = 3;
  const auto cache = MakeTableCache(options_);
  for (const uint64_t number : {1, 2, 3, 1, 4}) MustFind(cache.get(), number);
  EXPECT_FALSE(cache->FindOpen(2));
  for (const uint64_t number : {1, 3, 4}) EXPECT_TRUE(cache->FindOpen(number));
  EXPECT_EQ(Counted(Ticker::kTableCacheEvict), 1u);
  EXPECT_EQ(files_.open(), 3);
}

TEST_F(TableCacheTest, KeepsTablesInUseAboveTheLimit) {
  options_.max_open_files = 0;
  const auto cache = MakeTableCache(options_);
  TableHandle first = MustFind(cache.get(), 1);
  {
    const TableHandle second = MustFind(cache.get(), 2);
    const TableHandle shared = MustFind(cache.get(), 1);
    EXPECT_EQ(shared.get(), first.get());
    EXPECT_EQ(files_.open(), 2);
  }
  EXPECT_EQ(files_.open(), 1);
  first.Reset();
  EXPECT_EQ(files_.open(), 0);
  EXPECT_EQ(Counted(Ticker::kTableCacheEvict), 2u);
}

TEST_F(TableCacheTest, LimitsBytes) {
  const uint64_t each =
      MustFind(MakeTableCache(options_).get(), 1)->ExpectedMemoryUsage();
  options_.max_table_bytes = 3 * each + 1;
  const auto cache = MakeTableCache(options_);
  for (const uint64_t number : {1, 2, 3, 4}) MustFind(cache.get(), number);
  EXPECT_EQ(cache->OpenTables(), 3u);
  EXPECT_EQ(cache->MemoryUsage(), 3 * each);
}

TEST_F(TableCacheTest, EvictOpensAnew) {
  const auto cache = MakeTableCache(options_);
  EXPECT_FALSE(cache->Evict(1));
  const TableHandle old = MustFind(cache.get(), 1);
  EXPECT_TRUE(cache->Evict(1));
  EXPECT_FALSE(cache->Evict(1));
  EXPECT_FALSE(cache->FindOpen(1));
  const TableHandle replaced = MustFind(cache.get(), 1);
  EXPECT_EQ(old->file().name(), "1.1.sst");
  EXPECT_EQ(replaced->file().name(), "1.2.sst");
  EXPECT_EQ(cache->OpenTables(), 2u);
}

TEST_F(TableCacheTest, CloseUnusedLeavesWhatIsInUse) {
  const auto cache = MakeTableCache(options_);
  const TableHandle used = MustFind(cache.get(), 1);
  MustFind(cache.get(), 2);
  cache->CloseUnused();
  EXPECT_EQ(files_.open(), 1);
  EXPECT_TRUE(cache->FindOpen(1));
}

TEST_F(TableCacheTest, ErrorsAreNotKept) {
  int calls = 0;
  options_.open = [&](uint64_t number, TableToOpen* table) {
    if (++calls == 1) return Status::IOError("the disk is asleep");
    table->file = files_.Open(number);
    return Status();
  };
  const auto cache = MakeTableCache(options_);
  const Status status = cache->Find(12).status();
  EXPECT_TRUE(status.IsIOError());
  EXPECT_EQ(status.message(), "table 12: the disk is asleep");
  EXPECT_EQ(cache->OpenTables(), 0u);
  EXPECT_TRUE(MustFind(cache.get(), 12));
  EXPECT_EQ(Counted(Ticker::kNoFileErrors), 1u);
  EXPECT_EQ(Counted(Ticker::kNoFileOpens), 1u);
  EXPECT_EQ(Counted(Ticker::kTableCacheMiss), 2u);
}

TEST_F(TableCacheTest, ReportsDamageAndBadOpeningFunctions) {
  CountingFiles damaged("no table");
  options_.open = damaged.Function();
  auto cache = MakeTableCache(options_);
  const Status status = cache->Find(3).status();
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_TRUE(status.message().starts_with("table 3: 3.1.sst: "));
  EXPECT_EQ(damaged.open(), 0);

  options_.open = [](uint64_t, TableToOpen*) { return Status(); };
  cache = MakeTableCache(options_);
  EXPECT_TRUE(cache->Find(3).status().IsInvalidArgument());
  options_.open = nullptr;
  cache = MakeTableCache(options_);
  EXPECT_TRUE(cache->Find(3).status().IsInvalidArgument());
  EXPECT_TRUE(cache->Find(3, files_.Function()).ok());
  EXPECT_TRUE(cache->Find(3).ok());  // it is open now
}

TEST_F(TableCacheTest, WantOfMemoryIsAStatusAndOtherExceptionsPass) {
  int calls = 0;
  options_.open = [&](uint64_t number, TableToOpen* table) {
    ++calls;
    if (calls == 1) throw std::bad_alloc();
    if (calls == 2) throw std::runtime_error("mine");
    table->file = files_.Open(number);
    return Status();
  };
  const auto cache = MakeTableCache(options_);
  EXPECT_TRUE(cache->Find(1).status().IsMemoryLimit());
  EXPECT_THROW(static_cast<void>(cache->Find(1)), std::runtime_error);
  EXPECT_TRUE(cache->Find(1).ok());
  EXPECT_EQ(Counted(Ticker::kNoFileErrors), 1u);
}

TEST_F(TableCacheTest, RefusesBadOptions) {
  options_.max_open_files = -2;
  EXPECT_TRUE(TableCache::Create(options_).status().IsInvalidArgument());
  options_.max_open_files = -1;
  for (const int bits : {-1, 17}) {
    options_.table_cache_numshardbits = bits;
    EXPECT_TRUE(TableCache::Create(options_).status().IsInvalidArgument());
  }
}

TEST_F(TableCacheTest, OpensPathsWithOptionsOfTheFile) {
  const TestFolder folder;
  BuildOptions build = FixedBuild();
  build.identity.file_number = 5;
  WriteFile(folder / "5.sst",
            BuildTable(TableOptions(), SomeEntries(10), build));
  uint64_t expected = 5;
  options_.open = [&](uint64_t number, TableToOpen* table) {
    table->path = folder / (std::to_string(number) + ".sst");
    table->expected_orig_file_number = expected;
    EXPECT_EQ(table->options.statistics, options_.reader_options.statistics);
    table->options.statistics = nullptr;
    return Status();
  };
  const auto cache = MakeTableCache(options_);
  GetResult result;
  Require(MustFind(cache.get(), 5)->Get("key00001", &result));
  EXPECT_EQ(Counted(Ticker::kNumberKeysRead), 0u);
  const Status missing = cache->Find(6).status();
  EXPECT_EQ(missing.subcode(), Status::SubCode::kPathNotFound);

  cache->Evict(5);
  expected = 6;
  const Status status = cache->Find(5).status();
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_TRUE(status.message().ends_with(
      "5.sst: the file's own number is 5, expected 6"))
      << status.message();
}

// Options may differ from file to file, and from Find to Find.
TEST_F(TableCacheTest, FindTakesAnOpeningFunctionOfItsOwn) {
  const auto cache = MakeTableCache(options_);
  const auto open = [&](uint64_t number, TableToOpen* table) {
    table->options.cache_index_and_filter_blocks = true;  // without a cache
    table->file = files_.Open(number);
    return Status();
  };
  EXPECT_TRUE(cache->Find(4, open).status().IsInvalidArgument());
  EXPECT_TRUE(cache->Find(4).ok());
  EXPECT_TRUE(cache->Find(4, open).ok());  // it is open
  EXPECT_EQ(files_.Openings(4), 2);
}

// How many entries a cache holds.
size_t Entries(Cache* cache) { return cache->GetOccupancyCount(); }

struct BlockCase {
  const char* name;
  IndexType index_type;
  bool partition_filters;
  bool cache_metadata;
  PinningTier pinning;
  uint32_t format_version = TableOptions().format_version;
};

class EvictDeletedTest : public TableCacheTest,
                         public ::testing::WithParamInterface<BlockCase> {};

// Fills the block cache with all blocks of two tables. One is deleted: all of
// its blocks go, no data block is read for that, and those of the other stay.
TEST_P(EvictDeletedTest, ErasesAllBlocksOfTheTable) {
  const BlockCase& c = GetParam();
  TableOptions table_options;
  table_options.block_size = 200;
  table_options.format_version = c.format_version;
  table_options.metadata_block_size = 200;
  table_options.index_type = c.index_type;
  table_options.partition_filters = c.partition_filters;
  BuildOptions build = FixedBuild();
  build.identity.file_number = 1;
  CountingFiles one(BuildTable(table_options, SomeEntries(2000), build));
  build.identity.file_number = 2;
  CountingFiles two(BuildTable(table_options, SomeEntries(2000), build));

  LruCacheOptions lru;
  lru.capacity = size_t{64} << 20;
  const auto blocks = std::move(NewLruCache(lru)).value();
  options_.reader_options.block_cache = blocks;
  options_.reader_options.cache_index_and_filter_blocks = c.cache_metadata;
  options_.reader_options.unpartitioned_pinning = c.pinning;
  options_.reader_options.partition_pinning = c.pinning;
  options_.open = [&](uint64_t number, TableToOpen* table) {
    table->file = (number == 1 ? one : two).Open(number);
    return Status();
  };
  const auto cache = MakeTableCache(options_);
  const auto fill = [&](uint64_t number) {
    const TableHandle table = MustFind(cache.get(), number);
    for (const Entry& entry : SomeEntries(2000)) {
      GetResult result;
      Require(table->Get(entry.key.substr(0, 8), &result));
    }
  };
  fill(2);
  const size_t of_two = Entries(blocks.get());
  ASSERT_GT(of_two, 100u);
  fill(1);
  ASSERT_GT(Entries(blocks.get()), of_two + 100);

  const uint64_t data_reads = Counted(Ticker::kBlockCacheDataAdd);
  const uint64_t misses = Counted(Ticker::kBlockCacheDataMiss);
  TableHandle last = MustFind(cache.get(), 1);
  EXPECT_TRUE(cache->EvictDeleted(1));
  EXPECT_GT(Entries(blocks.get()), of_two) << "it is still in use";
  last.Reset();
  EXPECT_EQ(Entries(blocks.get()), of_two);
  EXPECT_EQ(Counted(Ticker::kBlockCacheDataAdd), data_reads);
  EXPECT_EQ(Counted(Ticker::kBlockCacheDataMiss), misses);
  EXPECT_FALSE(cache->EvictDeleted(1));

  // Blocks stay if the table is only closed, also by Evict.
  cache->Evict(2);
  const size_t closed = Entries(blocks.get());
  EXPECT_EQ(closed, of_two);
  fill(2);
  EXPECT_EQ(Counted(Ticker::kBlockCacheDataMiss), misses);
  EXPECT_TRUE(cache->EvictDeleted(2));
  EXPECT_EQ(Entries(blocks.get()), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, EvictDeletedTest,
    ::testing::Values(BlockCase{"DataOnly", IndexType::kBinarySearch, false,
                                false, PinningTier::kNone},
                      BlockCase{"Metadata", IndexType::kBinarySearch, false,
                                true, PinningTier::kNone},
                      // The footer names the index, not the metaindex.
                      BlockCase{"OldFooter", IndexType::kBinarySearch, false,
                                true, PinningTier::kNone, 5},
                      BlockCase{"PinnedMetadata", IndexType::kBinarySearch,
                                false, true, PinningTier::kAll},
                      BlockCase{"Partitions", IndexType::kTwoLevelIndexSearch,
                                true, true, PinningTier::kNone},
                      BlockCase{"PinnedPartitions",
                                IndexType::kTwoLevelIndexSearch, true, true,
                                PinningTier::kAll},
                      BlockCase{"PartitionsInTheReader",
                                IndexType::kTwoLevelIndexSearch, true, false,
                                PinningTier::kNone}),
    [](const auto& p) { return std::string(p.param.name); });

// The reader alone does the same, and may be used afterwards.
TEST(EraseFromBlockCache, NeedsNoTableCache) {
  LruCacheOptions lru;
  ReaderOptions options;
  options.block_cache = std::move(NewLruCache(lru)).value();
  const auto reader =
      OpenTable(BuildTable(TableOptions(), SomeEntries(2000)), options);
  GetResult result;
  Require(reader->Get("key00005", &result));
  EXPECT_EQ(Entries(options.block_cache.get()), 1u);
  EXPECT_GT(reader->EraseFromBlockCache(), 1u);
  EXPECT_EQ(result.value.ToString(), "value5");
  result.Reset();
  EXPECT_EQ(Entries(options.block_cache.get()), 0u);
  Require(reader->Get("key00005", &result));
  EXPECT_EQ(result.value.ToString(), "value5");
  EXPECT_EQ(OpenTable(BuildTable(TableOptions(), SomeEntries(5)))
                ->EraseFromBlockCache(),
            0u);
}

}  // namespace
}  // namespace ashlar::testing

// Tests what readers, iterators and table caches charge to a block cache.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/table_cache.h"
#include "test/support/refusing_cache.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using Decision = CacheEntryRoleOptions::Decision;

constexpr int kEntries = 90000;
constexpr uint64_t kPiece = uint64_t{256} << 10;

class ChargedReads : public ::testing::Test {
 protected:
  ChargedReads() {
    LruCacheOptions lru;
    lru.capacity = size_t{256} << 20;
    lru.strict_capacity_limit = true;
    lru.num_shard_bits = 0;
    lru.metadata_charge_policy = CacheMetadataChargePolicy::kDontCharge;
    cache_ = std::make_shared<RefusingCache>(NewLruCache(lru).value());
    options_.block_cache = cache_;
  }

  void Charge(CacheEntryRole role) {
    options_.cache_usage_options.options_overrides[role].charged =
        Decision::kEnabled;
  }
  uint64_t Charged(CacheEntryRole role) const {
    return cache_->CollectEntryStats().of(role).charge;
  }
  // Blocks of whole keys, so that nothing depends on the codecs.
  static const std::string& Table(bool partitioned) {
    static const auto make = [](bool partitioned_too) {
      TableOptions options;
      options.compression = CompressionType::kNoCompression;
      if (partitioned_too) {
        options.index_type = IndexType::kTwoLevelIndexSearch;
        options.partition_filters = true;
      }
      std::vector<Entry> entries = SomeEntries(kEntries);
      for (Entry& entry : entries) entry.value.resize(40, 'v');
      return BuildTable(options, entries);
    };
    static const std::string plain = make(false);
    static const std::string parts = make(true);
    return partitioned ? parts : plain;
  }

  std::shared_ptr<RefusingCache> cache_;
  ReaderOptions options_;
};

TEST_F(ChargedReads, NothingByDefault) {
  const auto reader = OpenTable(Table(false), options_);
  EXPECT_EQ(cache_->inserts(), 0u);
}

TEST_F(ChargedReads, ReadersShareTheirPieces) {
  const CacheEntryRole role = CacheEntryRole::kBlockBasedTableReader;
  Charge(role);
  std::vector<std::unique_ptr<TableReader>> readers;
  uint64_t bytes = 0;
  for (int i = 0; i < 10; ++i) {
    readers.push_back(OpenTable(Table(false), options_));
    bytes += readers.back()->MemoryUsage();
    EXPECT_GE(Charged(role), bytes);
  }
  // Slot hints count from the start: 8 bytes per block.
  const uint64_t blocks = readers[0]->properties().num_data_blocks;
  EXPECT_LE(Charged(role), bytes + 10 * 8 * blocks + 2 * kPiece);
  while (!readers.empty()) {
    bytes -= readers.back()->MemoryUsage();
    readers.pop_back();
    EXPECT_LE(Charged(role), bytes + readers.size() * 8 * blocks + 2 * kPiece);
  }
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_F(ChargedReads, PartsThatAreKeptLaterAreCharged) {
  const CacheEntryRole role = CacheEntryRole::kBlockBasedTableReader;
  Charge(role);
  ReadOptions read;
  read.fill_cache = false;
  std::vector<std::unique_ptr<TableReader>> readers;
  uint64_t opened = 0;
  uint64_t bytes = 0;
  for (int i = 0; i < 8; ++i) {
    readers.push_back(OpenTable(Table(true), options_));
    const TableReader& reader = *readers.back();
    opened += reader.MemoryUsage();
    std::vector<Entry> entries;
    Require(ReadForward(reader, read, &entries));
    for (size_t k = 0; k < entries.size(); k += 100) {
      GetResult result;
      Require(reader.Get(read, UserKeyOf(entries[k].key), kMaxSequenceNumber,
                         &result));
    }
    bytes += reader.MemoryUsage();
    EXPECT_GE(Charged(role), bytes);
  }
  // More than could hide in the last pieces.
  EXPECT_GT(bytes, opened + 3 * kPiece);
  readers.clear();
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_F(ChargedReads, AStrictCacheFailsReadsOfPartsThatWouldBeKept) {
  Charge(CacheEntryRole::kBlockBasedTableReader);
  std::vector<std::unique_ptr<TableReader>> readers(8);
  for (auto& reader : readers) reader = OpenTable(Table(true), options_);
  ReadOptions read;
  read.fill_cache = false;
  // The partitions of all readers together need another piece.
  cache_->RefuseFrom(1);
  std::vector<Entry> entries;
  size_t i = 0;
  Status walk;
  while (walk.ok() && i < readers.size()) {
    entries.clear();
    walk = ReadForward(*readers[i++], read, &entries);
  }
  ASSERT_TRUE(walk.IsMemoryLimit()) << walk.ToString();
  EXPECT_TRUE(walk.message().starts_with(
      "test.sst: cannot keep it in index-partition block #"))
      << walk.ToString();
  const TableReader& reader = *readers[i - 1];
  const uint64_t kept = reader.MemoryUsage();
  // Once there is room, the partition is loaded again.
  entries.clear();
  Require(ReadForward(reader, read, &entries));
  EXPECT_EQ(entries.size(), size_t{kEntries});
  EXPECT_GT(reader.MemoryUsage(), kept);
}

TEST_F(ChargedReads, AStrictCacheFailsOpenings) {
  Charge(CacheEntryRole::kBlockBasedTableReader);
  cache_->RefuseFrom(1);
  const Status opened = OpenBytes(Table(false), options_).status();
  ASSERT_TRUE(opened.IsMemoryLimit()) << opened.ToString();
  EXPECT_EQ(
      opened.message().find("test.sst: no room in the block cache to charge "),
      0u);
  EXPECT_NE(opened.message().find(" for BlockBasedTableReader (capacity "),
            std::string::npos);
  EXPECT_EQ(cache_->GetUsage(), 0u);
  EXPECT_TRUE(OpenBytes(Table(false), options_).ok());
}

// The n-th piece is refused, for all n, of a walk with either role.
TEST_F(ChargedReads, IteratorsReportThatThereIsNoRoom) {
  for (const CacheEntryRole role :
       {CacheEntryRole::kReadAhead, CacheEntryRole::kIterator}) {
    SCOPED_TRACE(std::string(CacheEntryRoleName(role)));
    options_.cache_usage_options = {};
    Charge(role);
    const auto reader = OpenTable(Table(false), options_);
    ReadOptions read;
    read.fill_cache = false;
    read.readahead_size = 2 * kPiece;
    read.pin_data = role == CacheEntryRole::kIterator;
    uint64_t refused = 0;
    for (uint64_t n = 1;; ++n) {
      cache_->RefuseFrom(n);
      std::vector<Entry> entries;
      const Status status = ReadForward(*reader, read, &entries);
      // The iterator has ended.
      EXPECT_EQ(cache_->GetUsage(), 0u);
      if (cache_->inserts() < n) {
        EXPECT_TRUE(status.ok()) << status.ToString();
        EXPECT_EQ(entries.size(), size_t{kEntries});
        break;
      }
      ++refused;
      EXPECT_TRUE(status.IsMemoryLimit()) << status.ToString();
      EXPECT_NE(status.message().find(CacheEntryRoleName(role)),
                std::string::npos);
      EXPECT_LT(entries.size(), size_t{kEntries});
    }
    // pin_data keeps all blocks of the table.
    EXPECT_GE(refused, read.pin_data ? Table(false).size() / kPiece / 2 : 2);
  }
}

TEST_F(ChargedReads, TableCachesChargeTheirRecords) {
  Charge(CacheEntryRole::kFileMetadata);
  TableCacheOptions options;
  options.reader_options = options_;
  options.open = [](uint64_t number, TableToOpen* table) {
    table->file = NewMemoryFile(std::to_string(number), Table(false));
    return Status();
  };
  {
    const auto tables = TableCache::Create(options).value();
    EXPECT_TRUE(tables->Find(1).ok());
    EXPECT_TRUE(tables->Find(2).ok());
    EXPECT_EQ(Charged(CacheEntryRole::kFileMetadata), kPiece);
  }
  EXPECT_EQ(cache_->GetUsage(), 0u);
  cache_->RefuseFrom(1);
  const auto tables = TableCache::Create(options).value();
  const Status found = tables->Find(1).status();
  EXPECT_TRUE(found.IsMemoryLimit());
  EXPECT_NE(found.message().find("for FileMetadata"), std::string::npos);
  EXPECT_EQ(tables->OpenTables(), 0u);
}

TEST_F(ChargedReads, OptionsAreChecked) {
  options_.block_cache = nullptr;
  Charge(CacheEntryRole::kIterator);
  const Status opened = OpenBytes(Table(false), options_).status();
  EXPECT_TRUE(opened.IsInvalidArgument());
  EXPECT_EQ(opened.message(),
            "cache_usage_options: kIterator is kEnabled, but block_cache is "
            "null");
}

}  // namespace
}  // namespace ashlar::testing

// What Ashlar's tables put into RocksDB's block cache, and what they do if it
// has no room: the same as RocksDB's own tables.
#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/rocksdb/ashlar_rocksdb.h"

namespace ashlar::testing {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::Status;

constexpr int kKeys = 200;

void Require(const Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

std::string KeyNumber(int number) {
  return "key" + std::to_string(1000 + number);
}

std::shared_ptr<rocksdb::Cache> LruOf(size_t capacity, bool strict) {
  rocksdb::LRUCacheOptions options;
  options.capacity = capacity;
  options.num_shard_bits = 0;
  options.strict_capacity_limit = strict;
  options.metadata_charge_policy = rocksdb::kDontChargeCacheMetadata;
  return options.MakeSharedCache();
}

// A database in memory, with the tables of one side.
class CachedDatabase {
 public:
  CachedDatabase(bool on_ashlar, BlockBasedTableOptions table)
      : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())) {
    ashlar_rocksdb::AshlarTableOptions ashlar;
    ashlar.allow_fallback = false;
    ashlar.build = on_ashlar;
    ashlar.read = on_ashlar;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.block_size = 512;
    options_.table_factory.reset(
        ashlar_rocksdb::NewAshlarTableFactory(table, ashlar));
    options_.env = env_.get();
    options_.create_if_missing = true;
    options_.disable_auto_compactions = true;
    options_.num_levels = 2;
    options_.compression = rocksdb::kLZ4Compression;
    options_.compression_opts.max_dict_bytes = 1024;
    options_.statistics = rocksdb::CreateDBStatistics();
    Require(rocksdb::DB::Open(options_, "/cached", &db_));
  }

  // Makes a table of kKeys keys from this number on.
  void Fill(int begin = 0) {
    for (int i = begin; i < begin + kKeys; ++i) {
      Require(db_->Put({}, KeyNumber(i),
                       "a value that is like others " + std::to_string(i)));
    }
    Require(db_->Flush({}));
  }
  void Compact() {
    rocksdb::CompactRangeOptions rewrite;
    rewrite.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    Require(db_->CompactRange(rewrite, nullptr, nullptr));
  }
  void Ingest(const std::string& key, bool fill_cache) {
    const std::string file = "/ingested-" + key;
    rocksdb::SstFileWriter writer({}, options_);
    Require(writer.Open(file));
    Require(writer.Put(key, "ingested"));
    Require(writer.Finish());
    rocksdb::IngestExternalFileOptions options;
    options.fill_cache = fill_cache;
    Require(db_->IngestExternalFile({file}, options));
  }
  Status Get(int number, bool fill_cache = true) {
    rocksdb::ReadOptions read;
    read.fill_cache = fill_cache;
    std::string value;
    return db_->Get(read, KeyNumber(number), &value);
  }
  Status Walk(bool fill_cache) {
    rocksdb::ReadOptions read;
    read.fill_cache = fill_cache;
    const std::unique_ptr<rocksdb::Iterator> walk(db_->NewIterator(read));
    walk->SeekToFirst();
    while (walk->Valid()) walk->Next();
    return walk->status();
  }
  // Returns about how many bytes the keys from begin up to end take.
  uint64_t SizeOf(int begin, int end) {
    const std::string from = KeyNumber(begin);
    const std::string to = KeyNumber(end);
    const rocksdb::Range range(from, to);
    uint64_t size = 0;
    Require(db_->GetApproximateSizes(rocksdb::SizeApproximationOptions(),
                                     db_->DefaultColumnFamily(), &range, 1,
                                     &size));
    return size;
  }
  // Prepares a scan of the ranges [a, b) of these numbers. `scan` then reads
  // them, and returns how many keys it found.
  std::unique_ptr<rocksdb::Iterator> Prepare(
      const std::vector<std::pair<int, int>>& ranges,
      uint64_t max_prefetch_size, uint64_t io_coalesce_threshold,
      bool fill_cache = true) {
    rocksdb::ReadOptions read;
    read.fill_cache = fill_cache;
    read.iterate_upper_bound = &bound_;
    std::unique_ptr<rocksdb::Iterator> walk(db_->NewIterator(read));
    ends_.clear();
    ends_.reserve(2 * ranges.size());
    rocksdb::MultiScanArgs scans(rocksdb::BytewiseComparator());
    for (const auto& [begin, end] : ranges) {
      const std::string& from = ends_.emplace_back(KeyNumber(begin));
      scans.insert(from, ends_.emplace_back(KeyNumber(end)));
    }
    scans.max_prefetch_size = max_prefetch_size;
    scans.io_coalesce_threshold = io_coalesce_threshold;
    walk->Prepare(scans);
    return walk;
  }
  int Scan(rocksdb::Iterator* walk) {
    int found = 0;
    for (size_t i = 0; i < ends_.size(); i += 2) {
      bound_ = ends_[i + 1];
      for (walk->Seek(ends_[i]); walk->Valid(); walk->Next()) ++found;
      Require(walk->status());
    }
    return found;
  }
  uint64_t Counted(rocksdb::Tickers ticker) const {
    return options_.statistics->getTickerCount(ticker);
  }
  // Returns the misses of index and filter blocks and of dictionaries since the
  // last call.
  std::string NewMisses() {
    std::string text;
    size_t i = 0;
    for (const rocksdb::Tickers ticker :
         {rocksdb::BLOCK_CACHE_INDEX_MISS, rocksdb::BLOCK_CACHE_FILTER_MISS,
          rocksdb::BLOCK_CACHE_COMPRESSION_DICT_MISS}) {
      const uint64_t now = Counted(ticker);
      text += std::to_string(now - std::exchange(misses_[i++], now)) + " ";
    }
    return text;
  }
  // Returns the misses and additions of dictionaries, and whether there was a
  // hit. (RocksDB looks one up twice for a block that is not in the cache.)
  std::string Dictionaries() const {
    return std::to_string(Counted(rocksdb::BLOCK_CACHE_COMPRESSION_DICT_MISS)) +
           " " +
           std::to_string(Counted(rocksdb::BLOCK_CACHE_COMPRESSION_DICT_ADD)) +
           (Counted(rocksdb::BLOCK_CACHE_COMPRESSION_DICT_HIT) > 0 ? " hit"
                                                                   : "");
  }

 private:
  const std::unique_ptr<rocksdb::Env> env_;
  rocksdb::Options options_;
  std::vector<uint64_t> misses_ = {0, 0, 0};  // see NewMisses
  std::vector<std::string> ends_;             // of the prepared ranges
  rocksdb::Slice bound_;                      // of the range that is scanned
  std::unique_ptr<rocksdb::DB> db_;
};

TEST(AdaptedCaches, WithoutRoomReadsFailAsStock) {
  for (const bool on_ashlar : {false, true}) {
    const auto cache = LruOf(0, /*strict=*/false);
    BlockBasedTableOptions table;
    table.block_cache = cache;
    CachedDatabase database(on_ashlar, table);
    database.Fill();
    cache->SetStrictCapacityLimit(true);
    EXPECT_TRUE(database.Get(5).IsMemoryLimit());
    EXPECT_EQ(database.Counted(rocksdb::BLOCK_CACHE_ADD_FAILURES), 1u);
    EXPECT_TRUE(database.Walk(/*fill_cache=*/true).IsMemoryLimit());
    Require(database.Get(5, /*fill_cache=*/false));
    cache->SetCapacity(1 << 20);
    Require(database.Get(5));
  }
}

// The size of what cannot be looked up is taken to be that of the whole table.
TEST(AdaptedCaches, WithoutRoomSizesAreEstimatedAsInStock) {
  for (const bool on_ashlar : {false, true}) {
    const auto cache = LruOf(4 << 20, /*strict=*/false);
    BlockBasedTableOptions table;
    table.block_cache = cache;
    table.cache_index_and_filter_blocks = true;
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = 128;
    CachedDatabase database(on_ashlar, table);
    database.Fill();
    const uint64_t size = database.SizeOf(90, 110);
    EXPECT_GT(size, 0U);
    cache->SetStrictCapacityLimit(true);
    cache->SetCapacity(0);
    cache->EraseUnRefEntries();
    EXPECT_GT(database.SizeOf(90, 110), 4 * size) << on_ashlar;
  }
}

// What a builder charges may be more than the cache has room for.
TEST(AdaptedCaches, WithoutRoomFiltersAreBuiltAsInStock) {
  for (const bool on_ashlar : {false, true}) {
    BlockBasedTableOptions table;
    table.block_cache = LruOf(64 << 10, /*strict=*/true);
    table.cache_usage_options
        .options_overrides[rocksdb::CacheEntryRole::kFilterConstruction]
        .charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled;
    CachedDatabase database(on_ashlar, table);
    database.Fill();
    database.Fill(kKeys);
    database.Compact();
    Require(database.Get(5, /*fill_cache=*/false));
  }
}

TEST(AdaptedCaches, ReadsThatMayNotFillLeaveTheCacheAsItIs) {
  for (const bool on_ashlar : {false, true}) {
    const auto cache = LruOf(4 << 20, /*strict=*/false);
    BlockBasedTableOptions table;
    table.block_cache = cache;
    table.cache_index_and_filter_blocks = true;
    CachedDatabase database(on_ashlar, table);
    database.Fill();
    database.Compact();
    cache->EraseUnRefEntries();
    const size_t before = cache->GetUsage();
    Require(database.Walk(/*fill_cache=*/false));
    Require(database.Get(5, /*fill_cache=*/false));
    EXPECT_EQ(cache->GetUsage(), before);
    database.Ingest("zz", /*fill_cache=*/false);
    EXPECT_EQ(cache->GetUsage(), before);
    database.Ingest("zzz", /*fill_cache=*/true);
    EXPECT_GT(cache->GetUsage(), before);
  }
}

TEST(AdaptedCaches, HoldDictionariesAsStock) {
  for (const auto pinning :
       {rocksdb::PinningTier::kNone, rocksdb::PinningTier::kAll}) {
    std::string expected;
    for (const bool on_ashlar : {false, true}) {
      const auto cache = LruOf(4 << 20, /*strict=*/false);
      BlockBasedTableOptions table;
      table.block_cache = cache;
      table.cache_index_and_filter_blocks = true;
      table.metadata_cache_options.unpartitioned_pinning = pinning;
      CachedDatabase database(on_ashlar, table);
      database.Fill();
      database.Compact();
      std::string counted = database.Dictionaries();
      Require(database.Get(5));
      counted += ", " + database.Dictionaries();
      Require(database.Get(5));
      cache->EraseUnRefEntries();
      Require(database.Get(kKeys - 5));
      counted += ", " + database.Dictionaries();
      if (!on_ashlar) expected = counted;
      EXPECT_EQ(counted, expected);
    }
    EXPECT_EQ(expected, pinning == rocksdb::PinningTier::kAll
                            ? "2 2, 2 2, 2 2"
                            : "2 2 hit, 2 2 hit, 3 3 hit");
  }
}

// Scans find all blocks of their ranges in the cache, and no others are there.
TEST(AdaptedCaches, HaveTheRangesOfScansAhead) {
  const auto cache = LruOf(4 << 20, /*strict=*/false);
  BlockBasedTableOptions table;
  table.block_cache = cache;
  CachedDatabase database(/*on_ashlar=*/true, table);
  database.Fill();
  auto added = [&, last = uint64_t{0}]() mutable {
    const uint64_t now = database.Counted(rocksdb::BLOCK_CACHE_DATA_ADD);
    return now - std::exchange(last, now);
  };
  const auto misses = [&] {
    return database.Counted(rocksdb::BLOCK_CACHE_DATA_MISS);
  };
  // Each block has some ten keys.
  const std::vector<std::pair<int, int>> ranges = {{10, 40}, {150, 180}};
  const auto scan = database.Prepare(ranges, 0, 0);
  const uint64_t of_ranges = added();
  EXPECT_GE(of_ranges, 6u);
  EXPECT_LE(of_ranges, 12u);
  const uint64_t before = misses();
  EXPECT_EQ(database.Scan(scan.get()), 60);
  EXPECT_EQ(misses(), before);

  // The blocks between are read too, if they are few enough.
  cache->EraseUnRefEntries();
  EXPECT_EQ(database.Scan(database.Prepare(ranges, 0, 1 << 20).get()), 60);
  EXPECT_GT(added(), of_ranges + 5);

  // Only the first range is small enough together.
  cache->EraseUnRefEntries();
  database.Prepare({{10, 40}, {60, 190}}, 1500, 0);
  const uint64_t of_first = added();
  EXPECT_GT(of_first, 0u);
  EXPECT_LT(of_first, of_ranges);

  cache->EraseUnRefEntries();
  const auto unfilled = database.Prepare(ranges, 0, 0, /*fill_cache=*/false);
  EXPECT_EQ(database.Scan(unfilled.get()), 60);
  EXPECT_EQ(added(), 0u);
}

// What a cold cache lacks of a table of level 0, and of one that a compaction
// has made.
std::string MissesOfPinned(bool on_ashlar, BlockBasedTableOptions table) {
  const auto cache = LruOf(4 << 20, /*strict=*/false);
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.metadata_block_size = 128;
  table.metadata_cache_options.top_level_index_pinning =
      rocksdb::PinningTier::kAll;
  CachedDatabase database(on_ashlar, table);
  database.Fill();
  database.Compact();
  database.Fill(kKeys);
  // RocksDB reads all partitions when a table is opened.
  static_cast<void>(database.NewMisses());
  std::string misses;
  for (const int number : {kKeys + 5, 5}) {
    cache->EraseUnRefEntries();
    Require(database.Get(number));
    misses += database.NewMisses() + "; ";
  }
  return misses;
}

TEST(AdaptedCaches, HoldWhatIsPinnedAsStock) {
  using rocksdb::PinningTier;
  constexpr PinningTier kTiers[] = {
      PinningTier::kNone, PinningTier::kFlushedAndSimilar, PinningTier::kAll};
  std::set<std::string> all;
  for (const bool has_partitions : {false, true}) {
    for (const PinningTier of_partitions : kTiers) {
      for (const PinningTier of_others : kTiers) {
        BlockBasedTableOptions table;
        table.metadata_cache_options.partition_pinning = of_partitions;
        table.metadata_cache_options.unpartitioned_pinning = of_others;
        if (has_partitions) {
          table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
          table.partition_filters = true;
        }
        const std::string expected = MissesOfPinned(false, table);
        all.insert(expected);
        EXPECT_EQ(MissesOfPinned(true, table), expected)
            << has_partitions << " " << static_cast<int>(of_partitions) << " "
            << static_cast<int>(of_others);
      }
    }
  }
  EXPECT_TRUE(all.contains("1 1 1 ; 1 1 1 ; "));
  EXPECT_TRUE(all.contains("1 1 0 ; 1 1 1 ; "));
  EXPECT_TRUE(all.contains("0 0 0 ; 0 0 0 ; "));
}

// Notes the priorities of what is inserted.
class NotingCache final : public rocksdb::CacheWrapper {
 public:
  using CacheWrapper::CacheWrapper;
  const char* Name() const override { return "NotingCache"; }
  Status Insert(const rocksdb::Slice& key, ObjectPtr value,
                const CacheItemHelper* helper, size_t charge, Handle** handle,
                Priority priority, const rocksdb::Slice& compressed_value,
                rocksdb::CompressionType type) override {
    if (helper->role == rocksdb::CacheEntryRole::kDataBlock) {
      priorities.insert(priority);
    }
    return target_->Insert(key, value, helper, charge, handle, priority,
                           compressed_value, type);
  }
  std::set<Priority> priorities;
};

TEST(AdaptedCaches, WarmBlocksOfCompactionsHaveBottomPriorityAsStock) {
  using Priority = rocksdb::Cache::Priority;
  for (const bool on_ashlar : {false, true}) {
    const auto cache =
        std::make_shared<NotingCache>(LruOf(4 << 20, /*strict=*/false));
    BlockBasedTableOptions table;
    table.block_cache = cache;
    table.prepopulate_block_cache =
        BlockBasedTableOptions::PrepopulateBlockCache::kFlushAndCompaction;
    CachedDatabase database(on_ashlar, table);
    database.Fill();
    EXPECT_EQ(cache->priorities, std::set<Priority>{Priority::LOW});
    cache->priorities.clear();
    database.Compact();
    EXPECT_EQ(cache->priorities, std::set<Priority>{Priority::BOTTOM});
    Require(database.Get(5));
    EXPECT_EQ(database.Counted(rocksdb::BLOCK_CACHE_DATA_MISS), 0u);
  }
}

}  // namespace
}  // namespace ashlar::testing

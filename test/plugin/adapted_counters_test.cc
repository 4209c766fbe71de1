// What RocksDB counts of reads of tables: the same on Ashlar's tables as on its
// own. The rest is by the tests of the library (read_counters_test).
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/rocksdb/ashlar_rocksdb.h"

namespace ashlar::testing {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

void Require(const Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

// A database in memory with a table in each of two levels, of which the lower
// is the last one. All keys of prefix "a" are in the lower, of "b" in the upper
// one, and of "c" nowhere.
class CountedDatabase {
 public:
  CountedDatabase(bool on_ashlar, bool has_whole_keys,
                  bool has_timestamps = false)
      : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())),
        has_timestamps_(has_timestamps) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(20));
    table.whole_key_filtering = has_whole_keys;
    table.block_cache = rocksdb::NewLRUCache(4 << 20);
    ashlar_rocksdb::AshlarTableOptions ashlar;
    ashlar.allow_fallback = false;
    ashlar.build = on_ashlar;
    ashlar.read = on_ashlar;
    options_.table_factory.reset(
        ashlar_rocksdb::NewAshlarTableFactory(table, ashlar));
    options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));
    options_.env = env_.get();
    options_.create_if_missing = true;
    options_.disable_auto_compactions = true;
    options_.num_levels = 2;
    if (has_timestamps) {
      options_.comparator = rocksdb::BytewiseComparatorWithU64Ts();
      options_.prefix_extractor = nullptr;
    }
    options_.statistics = rocksdb::CreateDBStatistics();
    Require(rocksdb::DB::Open(options_, "/counted", &db_));
    Fill("a");
    // A file that is only moved down counts for the level where it was opened.
    rocksdb::CompactRangeOptions rewrite;
    rewrite.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    Require(db_->CompactRange(rewrite, nullptr, nullptr));
    Fill("b");
    Require(options_.statistics->Reset());
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
    rocksdb::get_perf_context()->EnablePerLevelPerfContext();
    rocksdb::get_perf_context()->Reset();
  }
  ~CountedDatabase() {
    rocksdb::get_perf_context()->ClearPerLevelPerfContext();
  }

  void Get(const std::string& key) {
    std::string value;
    db_->Get(PointOptions(), key, &value).PermitUncheckedError();
  }
  void MultiGet(const std::vector<Slice>& keys) {
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    db_->MultiGet(PointOptions(), db_->DefaultColumnFamily(), keys.size(),
                  keys.data(), values.data(), statuses.data());
  }
  // Opens it again, so that reads of the last level ask no filter.
  void SkipFiltersOfLastLevel() {
    Require(db_->Close());
    options_.optimize_filters_for_hits = true;
    Require(rocksdb::DB::Open(options_, "/counted", &db_));
    Require(options_.statistics->Reset());
    rocksdb::get_perf_context()->Reset();
  }
  void Seek(const std::string& key, bool backward, bool total_order = false) {
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = !total_order;
    read.total_order_seek = total_order;
    const std::unique_ptr<rocksdb::Iterator> walk(db_->NewIterator(read));
    backward ? walk->SeekForPrev(key) : walk->Seek(key);
    Require(walk->status());
  }

  // Returns the keys from this one up to the bound, as far as seeks in
  // `auto_prefix_mode`, or without it, find them.
  std::string Scan(const std::string& key, const std::string& end,
                   bool auto_prefix_mode) {
    const Slice bound(end);
    rocksdb::ReadOptions read;
    read.auto_prefix_mode = auto_prefix_mode;
    read.prefix_same_as_start = !auto_prefix_mode;
    read.iterate_upper_bound = &bound;
    const std::unique_ptr<rocksdb::Iterator> walk(db_->NewIterator(read));
    std::string keys;
    for (walk->Seek(key); walk->Valid(); walk->Next()) {
      keys += walk->key().ToString() + " ";
    }
    Require(walk->status());
    return keys;
  }
  void UsePrefixesOf(int bytes) {
    Require(db_->SetOptions(
        {{"prefix_extractor", "fixed:" + std::to_string(bytes)}}));
  }

  // Returns what is counted by level.
  static std::string Levels() {
    std::string text;
    const rocksdb::PerfContext& context = *rocksdb::get_perf_context();
    for (const auto& [level, of] : *context.level_to_perf_context) {
      text += "level " + std::to_string(level) + ": useful " +
              std::to_string(of.bloom_filter_useful) + ", positive " +
              std::to_string(of.bloom_filter_full_positive) + ", true " +
              std::to_string(of.bloom_filter_full_true_positive) + ", hits " +
              std::to_string(of.block_cache_hit_count) + ", misses " +
              std::to_string(of.block_cache_miss_count) + "\n";
    }
    return text;
  }
  // Returns what is counted of filters that point reads have asked.
  std::string PointFilters() const {
    std::string text;
    for (const rocksdb::Tickers ticker :
         {rocksdb::BLOOM_FILTER_USEFUL, rocksdb::BLOOM_FILTER_FULL_POSITIVE,
          rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE,
          rocksdb::BLOOM_FILTER_PREFIX_CHECKED,
          rocksdb::BLOOM_FILTER_PREFIX_USEFUL,
          rocksdb::BLOOM_FILTER_PREFIX_TRUE_POSITIVE}) {
      text += std::to_string(options_.statistics->getTickerCount(ticker)) + " ";
    }
    return text + "\n" + Levels();
  }
  std::string SeekFilters() const {
    std::string text;
    for (const rocksdb::Tickers ticker :
         {rocksdb::LAST_LEVEL_SEEK_FILTERED,
          rocksdb::LAST_LEVEL_SEEK_FILTER_MATCH,
          rocksdb::NON_LAST_LEVEL_SEEK_FILTERED,
          rocksdb::NON_LAST_LEVEL_SEEK_FILTER_MATCH,
          rocksdb::LAST_LEVEL_SEEK_DATA, rocksdb::NON_LAST_LEVEL_SEEK_DATA,
          rocksdb::LAST_LEVEL_SEEK_DATA_USEFUL_FILTER_MATCH,
          rocksdb::LAST_LEVEL_SEEK_DATA_USEFUL_NO_FILTER,
          rocksdb::NON_LAST_LEVEL_SEEK_DATA_USEFUL_FILTER_MATCH,
          rocksdb::NON_LAST_LEVEL_SEEK_DATA_USEFUL_NO_FILTER}) {
      text += std::to_string(options_.statistics->getTickerCount(ticker)) + " ";
    }
    const rocksdb::PerfContext& context = *rocksdb::get_perf_context();
    return text + "passed " + std::to_string(context.bloom_sst_hit_count) +
           ", ruled out " + std::to_string(context.bloom_sst_miss_count);
  }

  // Returns the bytes of the blocks that this thread has read, by kind, and
  // whether the bytes of those that it found in the cache were counted.
  std::string Bytes() const {
    const rocksdb::PerfContext& c = *rocksdb::get_perf_context();
    const uint64_t found =
        options_.statistics->getTickerCount(rocksdb::BLOCK_CACHE_BYTES_READ);
    return "data " + std::to_string(c.data_block_read_byte) + ", index " +
           std::to_string(c.index_block_read_byte) + ", filter " +
           std::to_string(c.filter_block_read_byte) + ", dictionary " +
           std::to_string(c.compression_dict_block_read_byte) + ", metadata " +
           std::to_string(c.metadata_block_read_byte) + ", of cached " +
           std::to_string(c.block_cache_read_byte > 0) +
           std::to_string(found > 0);
  }

 private:
  rocksdb::ReadOptions PointOptions() const {
    rocksdb::ReadOptions read;
    if (has_timestamps_) read.timestamp = &timestamp_;
    return read;
  }
  void Put(const std::string& key, const std::string& value) {
    Require(has_timestamps_ ? db_->Put({}, key, timestamp_, value)
                            : db_->Put({}, key, value));
  }
  void Fill(const std::string& prefix) {
    for (int i = 100; i < 200; ++i) Put(prefix + std::to_string(i), "value");
    // Both tables cover all keys that are asked for.
    Put("A", "first");
    Put("z", "last");
    Require(db_->Flush({}));
  }

  const std::unique_ptr<rocksdb::Env> env_;
  const bool has_timestamps_;
  const Slice timestamp_ = Slice("\1\0\0\0\0\0\0\0", 8);
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

// Asks for keys that are there, in each level, and for others.
void ReadSome(CountedDatabase* database) {
  database->Get("a100");
  database->Get("b150");
  database->Get("a999");
  database->Get("c100");
  database->MultiGet({"a101", "b101", "b151", "c101", "c102"});
}

TEST(AdaptedCounters, CountPointReadsByLevelAsStock) {
  for (const bool has_whole_keys : {true, false}) {
    std::string expected;
    for (const bool on_ashlar : {false, true}) {
      CountedDatabase database(on_ashlar, has_whole_keys);
      ReadSome(&database);
      if (!on_ashlar) expected = CountedDatabase::Levels();
      EXPECT_EQ(CountedDatabase::Levels(), expected);
    }
    EXPECT_NE(expected.find("level 1"), std::string::npos) << expected;
  }
}

// RocksDB sees all versions of keys that have timestamps.
TEST(AdaptedCounters, CountReadsOfVersionsByLevelAsStock) {
  std::string expected;
  for (const bool on_ashlar : {false, true}) {
    CountedDatabase database(on_ashlar, /*has_whole_keys=*/true,
                             /*has_timestamps=*/true);
    ReadSome(&database);
    if (!on_ashlar) expected = database.PointFilters();
    EXPECT_EQ(database.PointFilters(), expected);
  }
  EXPECT_EQ(expected.find("true 0"), std::string::npos) << expected;
}

TEST(AdaptedCounters, AskNoFilterOfTheLastLevelIfToldSo) {
  for (const bool has_whole_keys : {true, false}) {
    std::string expected;
    for (const bool on_ashlar : {false, true}) {
      CountedDatabase database(on_ashlar, has_whole_keys);
      database.SkipFiltersOfLastLevel();
      ReadSome(&database);
      if (!on_ashlar) expected = database.PointFilters();
      EXPECT_EQ(database.PointFilters(), expected);
    }
    EXPECT_NE(expected.find("level 1: useful 0, positive 0, true 0"),
              std::string::npos)
        << expected;
  }
}

// A filter of whole keys is asked whatever the extractor.
TEST(AdaptedCounters, AskWholeKeysWhateverTheExtractor) {
  std::string expected;
  for (const bool on_ashlar : {false, true}) {
    CountedDatabase database(on_ashlar, /*has_whole_keys=*/true);
    database.UsePrefixesOf(2);
    ReadSome(&database);
    if (!on_ashlar) expected = database.PointFilters();
    EXPECT_EQ(database.PointFilters(), expected);
  }
  EXPECT_FALSE(expected.starts_with("0 ")) << expected;
}

// RocksDB counts keys that are there as true positives all the same.
TEST(AdaptedCounters, AskNoPrefixesOfAnotherExtractor) {
  for (const bool on_ashlar : {false, true}) {
    CountedDatabase database(on_ashlar, /*has_whole_keys=*/false);
    database.UsePrefixesOf(2);
    ReadSome(&database);
    const std::string counted = database.PointFilters();
    EXPECT_TRUE(counted.starts_with("0 0 0 0 0 ")) << counted;
    EXPECT_NE(counted.find("level 0: useful 0, positive 0, "),
              std::string::npos)
        << counted;
    if (on_ashlar) {
      EXPECT_TRUE(counted.starts_with("0 0 0 0 0 0 ")) << counted;
    }
  }
}

TEST(AdaptedCounters, CountFiltersOfSeeksAsStock) {
  std::string expected;
  for (const bool on_ashlar : {false, true}) {
    CountedDatabase database(on_ashlar, /*has_whole_keys=*/true);
    for (const bool backward : {false, true}) {
      database.Seek("a150", backward);
      database.Seek("b150", backward);
      database.Seek("c150", backward);
    }
    if (!on_ashlar) expected = database.SeekFilters();
    EXPECT_EQ(database.SeekFilters(), expected);
  }
  EXPECT_EQ(expected, "4 2 4 2 2 2 2 0 2 0 passed 4, ruled out 8");
}

TEST(AdaptedCounters, CountTheUseOfSeeksWithoutFiltersAsStock) {
  std::string expected;
  for (const bool on_ashlar : {false, true}) {
    CountedDatabase database(on_ashlar, /*has_whole_keys=*/true);
    database.Seek("a150", /*backward=*/false, /*total_order=*/true);
    database.Seek("a150", /*backward=*/true, /*total_order=*/true);
    if (!on_ashlar) expected = database.SeekFilters();
    EXPECT_EQ(database.SeekFilters(), expected);
  }
  EXPECT_EQ(expected, "0 0 0 0 2 2 0 2 0 0 passed 0, ruled out 0");
}

// Seeks that end within a prefix of the table ask its filter, also after the
// extractor has changed.
TEST(AdaptedCounters, AskFiltersWithinBoundsAsStock) {
  for (const int prefix_bytes : {1, 2, 3}) {
    std::string expected;
    for (const bool on_ashlar : {false, true}) {
      CountedDatabase database(on_ashlar, /*has_whole_keys=*/true);
      if (prefix_bytes != 1) database.UsePrefixesOf(prefix_bytes);
      std::string answers;
      for (const bool auto_prefix_mode : {true, false}) {
        for (const char* begin : {"a197", "b197", "c100"}) {
          for (const char* end : {"a199", "b", "b199", "c", "c2", "d", "d1"}) {
            if (std::string(begin) >= end) continue;
            answers += database.Scan(begin, end, auto_prefix_mode) + "; ";
          }
        }
      }
      answers += database.SeekFilters();
      if (!on_ashlar) expected = answers;
      EXPECT_EQ(answers, expected);
    }
    EXPECT_EQ(expected.find("; 0 0 "), std::string::npos) << expected;
  }
}

TEST(AdaptedCounters, CountBytesByKindAsStock) {
  std::string expected;
  for (const bool on_ashlar : {false, true}) {
    CountedDatabase database(on_ashlar, /*has_whole_keys=*/true);
    database.Get("a100");
    database.Get("b150");
    database.Get("b150");
    if (!on_ashlar) expected = database.Bytes();
    EXPECT_EQ(database.Bytes(), expected);
  }
  EXPECT_TRUE(expected.ends_with("metadata 0, of cached 11")) << expected;
}

}  // namespace
}  // namespace ashlar::testing

// Compares histograms and names of counters with RocksDB's: the same samples
// give the same numbers and texts, and what has a name of RocksDB is there.

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "ashlar/cache/cache_entry_stats_collector.h"
#include "ashlar/table/histogram.h"
#include "ashlar/table/statistics.h"

namespace ashlar::interop {
namespace {

TEST(RocksDBCounters, HistogramsOfTheSameSamples) {
  std::mt19937_64 random(22);
  for (int round = 0; round < 300; ++round) {
    const auto theirs = rocksdb::CreateDBStatistics();
    theirs->set_stats_level(rocksdb::StatsLevel::kAll);
    HistogramSamples ours;
    const uint64_t bits = random() % 36 + 1;
    for (uint64_t i = random() % 400; i > 0; --i) {
      const uint64_t value = random() % (uint64_t{1} << (random() % bits + 1));
      theirs->recordInHistogram(rocksdb::DB_GET, value);
      ours.Add(value);
    }
    EXPECT_EQ(ours.ToString(), theirs->getHistogramString(rocksdb::DB_GET));
    rocksdb::HistogramData expected;
    theirs->histogramData(rocksdb::DB_GET, &expected);
    const HistogramData data = ours.Data();
    EXPECT_DOUBLE_EQ(data.median, expected.median);
    EXPECT_DOUBLE_EQ(data.percentile95, expected.percentile95);
    EXPECT_DOUBLE_EQ(data.percentile99, expected.percentile99);
    EXPECT_DOUBLE_EQ(data.average, expected.average);
    EXPECT_DOUBLE_EQ(data.standard_deviation, expected.standard_deviation);
    EXPECT_EQ(data.count, expected.count);
    EXPECT_EQ(data.sum, expected.sum);
    if (!ours.empty()) {
      EXPECT_EQ(data.min, expected.min);
      EXPECT_EQ(data.max, expected.max);
    }
  }
}

TEST(RocksDBCounters, NamesAreTheirs) {
  std::string theirs;
  for (const auto& [ticker, name] : rocksdb::TickersNameMap) {
    theirs += name + "\n";
  }
  for (const auto& [histogram, name] : rocksdb::HistogramsNameMap) {
    theirs += name + "\n";
  }
  const auto expect = [&](std::string_view name) {
    if (!name.starts_with("rocksdb.")) return;
    EXPECT_NE(("\n" + theirs).find("\n" + std::string(name) + "\n"),
              std::string::npos)
        << name;
  };
  for (size_t i = 0; i < kTickers; ++i) {
    expect(TickerName(static_cast<Ticker>(i)));
  }
  for (size_t i = 0; i < kHistograms; ++i) {
    expect(HistogramName(static_cast<Histogram>(i)));
  }
}

// Lines of empty statistics are the same, whatever else there is.
TEST(RocksDBCounters, TextOfStatistics) {
  const std::string theirs = rocksdb::CreateDBStatistics()->ToString();
  const std::string ours = Statistics().ToString();
  size_t same = 0;
  for (size_t begin = 0; begin < ours.size();) {
    const size_t end = ours.find('\n', begin);
    const std::string line = ours.substr(begin, end - begin + 1);
    begin = end + 1;
    if (!line.starts_with("rocksdb.")) continue;
    EXPECT_NE(("\n" + theirs).find("\n" + line), std::string::npos) << line;
    ++same;
  }
  EXPECT_GT(same, 40u);
}

TEST(RocksDBCounters, KeysOfCacheEntryStats) {
  using Keys = rocksdb::BlockCacheEntryStatsMapKeys;
  const auto map = CacheEntryStatsCollector::ToMap({});
  EXPECT_TRUE(map.contains(Keys::CacheId()));
  EXPECT_TRUE(map.contains(Keys::CacheCapacityBytes()));
  EXPECT_TRUE(map.contains(Keys::LastCollectionDurationSeconds()));
  EXPECT_TRUE(map.contains(Keys::LastCollectionAgeSeconds()));
  for (uint32_t i = 0; i < rocksdb::kNumCacheEntryRoles; ++i) {
    const auto role = static_cast<rocksdb::CacheEntryRole>(i);
    // Ours has no filters of the old form in the cache.
    if (role == rocksdb::CacheEntryRole::kDeprecatedFilterBlock) continue;
    EXPECT_TRUE(map.contains(Keys::EntryCount(role))) << Keys::EntryCount(role);
    EXPECT_TRUE(map.contains(Keys::UsedBytes(role)));
    EXPECT_TRUE(map.contains(Keys::UsedPercent(role)));
  }
}

}  // namespace
}  // namespace ashlar::interop

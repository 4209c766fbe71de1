// Tests histograms: buckets and percentiles, merging, many threads with resets
// between, levels, and what reads and builds add. test/interop compares texts
// with RocksDB's.

#include "ashlar/table/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/multi_table_get.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

TEST(HistogramSamples, Buckets) {
  EXPECT_EQ(HistogramSamples::BucketOf(0), 0u);
  EXPECT_EQ(HistogramSamples::BucketOf(1), 0u);
  EXPECT_EQ(HistogramSamples::BucketOf(2), 1u);
  EXPECT_EQ(HistogramSamples::BucketOf(~uint64_t{0}),
            HistogramSamples::kBuckets - 1);
  for (size_t i = 1; i < HistogramSamples::kBuckets; ++i) {
    const uint64_t limit = HistogramSamples::LimitOf(i);
    EXPECT_GT(limit, HistogramSamples::LimitOf(i - 1));
    EXPECT_EQ(HistogramSamples::BucketOf(limit), i);
    EXPECT_EQ(HistogramSamples::BucketOf(HistogramSamples::LimitOf(i - 1) + 1),
              i);
  }
}

TEST(HistogramSamples, Empty) {
  const HistogramData data = HistogramSamples().Data();
  EXPECT_EQ(data.count, 0u);
  EXPECT_EQ(data.min, 0);
  EXPECT_EQ(data.max, 0);
  EXPECT_EQ(data.median, 0);
  EXPECT_EQ(data.average, 0);
  EXPECT_EQ(data.standard_deviation, 0);
}

TEST(HistogramSamples, PercentilesAreWithinTheirBucket) {
  ForEachSeed(1, 100, [](uint64_t seed) {
    Random random(seed);
    HistogramSamples samples;
    std::vector<uint64_t> values;
    for (size_t i = random.Below(500) + 1; i > 0; --i) {
      values.push_back(random.Below(uint64_t{1} << random.Below(40)));
      samples.Add(values.back());
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(samples.min(), values.front());
    EXPECT_EQ(samples.max(), values.back());
    for (const double percent : {1., 50., 95., 99., 100.}) {
      const auto rank = static_cast<size_t>(std::max(
          0.0, percent / 100 * static_cast<double>(values.size()) - 1));
      const uint64_t exact = values[std::min(rank, values.size() - 1)];
      const double found = samples.Percentile(percent);
      // The rank may be between two values.
      const uint64_t next = values[std::min(rank + 1, values.size() - 1)];
      const size_t bucket = HistogramSamples::BucketOf(exact);
      const double low =
          bucket == 0
              ? 0
              : static_cast<double>(HistogramSamples::LimitOf(bucket - 1));
      EXPECT_GE(found, low);
      EXPECT_LE(found, static_cast<double>(HistogramSamples::LimitOf(
                           HistogramSamples::BucketOf(next))));
    }
    EXPECT_EQ(samples.Percentile(100), static_cast<double>(values.back()));
  });
}

TEST(HistogramSamples, MergingIsAddingBoth) {
  Random random(1);
  HistogramSamples a;
  HistogramSamples b;
  HistogramSamples both;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = random.Below(100'000);
    (i % 3 == 0 ? a : b).Add(value);
    both.Add(value);
  }
  a.Merge(HistogramSamples());
  a.Merge(b);
  EXPECT_EQ(a.ToString(), both.ToString());
}

TEST(Statistics, ManyThreadsAndResets) {
  Statistics statistics;
  const auto reader = OpenTable(BuildTable({}, SomeEntries(100)));
  const auto count = [&](int threads, int gets) {
    std::vector<std::thread> all;
    all.reserve(static_cast<size_t>(threads));
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&] {
        ReaderOptions options;
        options.statistics = std::shared_ptr<Statistics>(
            std::shared_ptr<Statistics>(), &statistics);
        const auto mine = OpenTable(BuildTable({}, SomeEntries(100)), options);
        GetResult result;
        for (int i = 0; i < gets; ++i) Require(mine->Get("key00007", &result));
        for (int i = 0; i < gets; ++i) Require(mine->Get("absent", &result));
      });
    }
    // Sums that are asked for meanwhile are of some moment.
    EXPECT_LE(statistics.GetHistogram(Histogram::kBytesPerRead).count(),
              static_cast<uint64_t>(2 * threads * gets));
    for (std::thread& thread : all) thread.join();
  };
  count(4, 50);
  HistogramSamples samples = statistics.GetHistogram(Histogram::kBytesPerRead);
  EXPECT_EQ(samples.count(), 400u);
  EXPECT_EQ(samples.min(), 0u);
  statistics.Reset();
  samples = statistics.GetHistogram(Histogram::kBytesPerRead);
  EXPECT_TRUE(samples.empty());
  EXPECT_EQ(samples.max(), 0u);
  count(2, 10);
  EXPECT_EQ(statistics.GetHistogram(Histogram::kBytesPerRead).count(), 40u);
}

uint64_t CountOf(const Statistics& statistics, Histogram histogram) {
  return statistics.GetHistogram(histogram).count();
}

TEST(Statistics, Levels) {
  TableOptions table_options;
  table_options.compression = DefaultCompressionType();
  table_options.compression_opts = {};
  std::vector<Entry> entries;
  entries.reserve(3000);
  for (int i = 0; i < 3000; ++i) {
    entries.push_back(
        Value("key" + std::to_string(10'000 + i), 1, std::string(100, 'v')));
  }
  for (const StatsLevel level :
       {StatsLevel::kDisableAll, StatsLevel::kExceptHistogramOrTimers,
        StatsLevel::kExceptTimers, StatsLevel::kExceptDetailedTimers,
        StatsLevel::kAll}) {
    SCOPED_TRACE(static_cast<int>(level));
    const auto statistics = std::make_shared<Statistics>();
    EXPECT_EQ(statistics->get_stats_level(), StatsLevel::kExceptTimers);
    statistics->set_stats_level(level);
    EXPECT_EQ(statistics->get_stats_level(), level);
    BuildOptions build = FixedBuild();
    build.statistics = statistics;
    build.workers = 2;
    const std::string table = BuildTable(table_options, entries, build);
    // The reader keeps no block, so each read decompresses one.
    const auto reader = OpenTable(table, {.statistics = statistics});
    GetResult result;
    Require(reader->Get("key10007", &result));
    std::vector<GetResult> results(2);
    std::vector<Status> statuses(2);
    const std::vector<Slice> keys = {"key10007", "key12000"};
    reader->MultiGet(keys, results, statuses);
    Iterator it = reader->NewIterator();
    it.Seek("key11");
    const auto at_least = [level](StatsLevel least, uint64_t n) {
      return level >= least ? n : 0;
    };
    const uint64_t blocks = reader->properties().num_data_blocks;
    EXPECT_EQ(statistics->GetTickerCount(Ticker::kNumberKeysRead),
              at_least(StatsLevel::kExceptHistogramOrTimers, 1));
    // The index block too.
    EXPECT_EQ(statistics->GetTickerCount(Ticker::kNumberBlockCompressed),
              at_least(StatsLevel::kExceptHistogramOrTimers, blocks + 1));
    EXPECT_EQ(CountOf(*statistics, Histogram::kBytesPerRead),
              at_least(StatsLevel::kExceptTimers, 1));
    EXPECT_EQ(CountOf(*statistics, Histogram::kBytesPerMultiGet),
              at_least(StatsLevel::kExceptTimers, 1));
    const uint64_t timed = at_least(StatsLevel::kExceptDetailedTimers, 1);
    EXPECT_EQ(CountOf(*statistics, Histogram::kDbGet), timed);
    EXPECT_EQ(CountOf(*statistics, Histogram::kDbMultiGet), timed);
    EXPECT_EQ(CountOf(*statistics, Histogram::kDbSeek), timed);
    EXPECT_EQ(CountOf(*statistics, Histogram::kTableOpenIoMicros), timed);
    EXPECT_EQ(CountOf(*statistics, Histogram::kSstReadMicros) > 2, timed != 0);
    EXPECT_EQ(CountOf(*statistics, Histogram::kCompressionTimesNanos),
              at_least(StatsLevel::kAll, blocks + 1));
    EXPECT_EQ(
        CountOf(*statistics, Histogram::kDecompressionTimesNanos),
        at_least(StatsLevel::kAll,
                 statistics->GetTickerCount(Ticker::kNumberBlockDecompressed)));
    if (level >= StatsLevel::kExceptTimers) {
      EXPECT_EQ(statistics->GetHistogram(Histogram::kBytesPerMultiGet).sum(),
                200u);
    }
  }
}

// A file of which each read takes at least this long.
constexpr std::chrono::milliseconds kReadTime(1);
class SpinningFile final : public RandomAccessFile {
 public:
  explicit SpinningFile(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)) {}
  Status Read(uint64_t offset, size_t n, char* scratch,
              Slice* data) const override {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < kReadTime) {
    }
    return file_->Read(offset, n, scratch, data);
  }
  uint64_t Size() const override { return file_->Size(); }
  std::string name() const override { return file_->name(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
};

// A MergingIterator of many children does parts of their seeks in advance.
TEST(Statistics, SeeksOfManyTablesAreTimedWithTheirReads) {
  const std::string bytes = BuildTable({}, SomeEntries(100), FixedBuild());
  for (const size_t tables : {2, 5}) {
    const auto statistics = std::make_shared<Statistics>();
    statistics->set_stats_level(StatsLevel::kExceptDetailedTimers);
    std::vector<std::unique_ptr<TableReader>> readers;
    std::vector<Iterator> children;
    for (size_t i = 0; i < tables; ++i) {
      readers.push_back(TableReader::Open(std::make_unique<SpinningFile>(
                                              NewMemoryFile("slow.sst", bytes)),
                                          {.statistics = statistics})
                            .value());
      children.push_back(readers.back()->NewIterator());
    }
    MergingIterator it(BytewiseComparator(), std::move(children));
    it.Seek("");
    ASSERT_TRUE(it.Valid());
    const HistogramSamples seeks = statistics->GetHistogram(Histogram::kDbSeek);
    EXPECT_EQ(seeks.count(), tables);
    // Each reads an index and a data block. A microsecond is lost by rounding.
    const uint64_t reads = 2 * tables;
    EXPECT_GE(seeks.sum() + tables,
              reads * static_cast<uint64_t>(
                          std::chrono::microseconds(kReadTime).count()));
  }
}

TEST(Statistics, BlocksOfBuilds) {
  const auto statistics = std::make_shared<Statistics>();
  BuildOptions build = FixedBuild();
  build.statistics = statistics;
  TableOptions options;
  options.compression = CompressionType::kNoCompression;
  std::string table = BuildTable(options, SomeEntries(1000), build);
  const uint64_t blocks = OpenTable(table)->properties().num_data_blocks;
  const auto count = [&](Ticker t) { return statistics->GetTickerCount(t); };
  EXPECT_EQ(count(Ticker::kNumberBlockCompressionBypassed), blocks + 1);
  EXPECT_EQ(count(Ticker::kNumberBlockCompressed), 0u);
  statistics->Reset();
  options.compression = DefaultCompressionType();
  Random random(1);
  std::vector<Entry> entries;
  entries.reserve(100);
  for (int i = 0; i < 100; ++i) {
    entries.push_back(
        Value("k" + std::to_string(1000 + i), 1, random.Bytes(500)));
  }
  table = BuildTable(options, entries, build);
  const TableProperties properties = OpenTable(table)->properties();
  EXPECT_GT(properties.num_data_blocks_compression_rejected, 5u);
  EXPECT_GE(count(Ticker::kNumberBlockCompressionRejected),
            properties.num_data_blocks_compression_rejected);
  EXPECT_GT(count(Ticker::kBytesCompressionRejected), 40'000u);
}

TEST(Statistics, TextHasHistograms) {
  Statistics statistics;
  const std::string text = statistics.ToString();
  EXPECT_NE(text.find("rocksdb.db.get.micros P50 : 0.000000 P95 : 0.000000 "
                      "P99 : 0.000000 P100 : 0.000000 COUNT : 0 SUM : 0\n"),
            std::string::npos);
}

}  // namespace
}  // namespace ashlar::testing

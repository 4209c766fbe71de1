// Tests StatisticsSink: it gets all that its Statistics counts.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

class CountingSink final : public StatisticsSink {
 public:
  void Add(Ticker ticker, uint64_t count) override {
    EXPECT_GT(count, 0U);
    counts_[static_cast<size_t>(ticker)] += count;
  }
  void AddSample(Histogram histogram, uint64_t value) override {
    ++samples_[static_cast<size_t>(histogram)];
    sums_[static_cast<size_t>(histogram)] += value;
  }

  // Compares it with what the statistics have counted themselves.
  void Compare(const Statistics& statistics) const {
    constexpr auto kFirstSum = static_cast<size_t>(Ticker::kBlockCacheHit);
    for (size_t i = 0; i < kTickers; ++i) {
      const auto ticker = static_cast<Ticker>(i);
      EXPECT_EQ(counts_[i],
                i < kFirstSum ? statistics.GetTickerCount(ticker) : 0)
          << TickerName(ticker);
    }
    for (size_t i = 0; i < kHistograms; ++i) {
      const auto histogram = static_cast<Histogram>(i);
      const HistogramData data = statistics.GetHistogram(histogram).Data();
      EXPECT_EQ(samples_[i], data.count) << HistogramName(histogram);
      EXPECT_EQ(sums_[i], data.sum) << HistogramName(histogram);
    }
  }
  uint64_t count(Ticker ticker) const {
    return counts_[static_cast<size_t>(ticker)];
  }
  uint64_t samples(Histogram histogram) const {
    return samples_[static_cast<size_t>(histogram)];
  }

 private:
  std::array<std::atomic<uint64_t>, kTickers> counts_ = {};
  std::array<std::atomic<uint64_t>, kHistograms> samples_ = {};
  std::array<std::atomic<uint64_t>, kHistograms> sums_ = {};
};

void ReadAtRandom(const TableReader& reader, uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < 200; ++i) {
    const std::string key = "key" + std::to_string(random.Below(3000));
    const Slice keys[] = {key, "key7", "absent"};
    GetResult results[3];
    Status statuses[3];
    Require(reader.Get(key, results));
    reader.MultiGet(keys, results, statuses);
    Iterator it = reader.NewIterator();
    it.Seek(key);
  }
}

TEST(StatisticsSinks, GetWhatIsCounted) {
  for (const StatsLevel level :
       {StatsLevel::kDisableAll, StatsLevel::kExceptHistogramOrTimers,
        StatsLevel::kExceptTimers, StatsLevel::kAll}) {
    const auto sink = std::make_shared<CountingSink>();
    const auto statistics = std::make_shared<Statistics>(sink);
    statistics->set_stats_level(level);
    TableOptions options;
    options.filter = FilterType::kBloom;
    options.block_size = 500;
    BuildOptions build = FixedBuild();
    build.statistics = statistics;
    build.parallel_threads = 3;
    ReaderOptions reader_options;
    reader_options.statistics = statistics;
    reader_options.block_cache = NewLruCache({.capacity = 20000}).value();
    const auto reader = OpenTable(BuildTable(options, SomeEntries(2000), build),
                                  reader_options);
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < 3; ++i) {
      threads.emplace_back([&reader, i] { ReadAtRandom(*reader, i); });
    }
    for (std::thread& thread : threads) thread.join();
    sink->Compare(*statistics);
    const bool counts = level != StatsLevel::kDisableAll;
    EXPECT_EQ(sink->count(Ticker::kNumberKeysRead), counts ? 600U : 0U);
    EXPECT_EQ(sink->samples(Histogram::kDbGet),
              level == StatsLevel::kAll ? 600U : 0U);
  }
}

// Threads end after the Statistics and the reader.
TEST(StatisticsSinks, LiveAsLongAsTheyAreNeeded) {
  auto sink = std::make_shared<CountingSink>();
  const std::weak_ptr<CountingSink> watched = sink;
  {
    ReaderOptions options;
    options.statistics = std::make_shared<Statistics>(std::move(sink));
    const auto reader = OpenTable(BuildTable({}, SomeEntries(10)), options);
    std::thread([&reader] { ReadAtRandom(*reader, 1); }).join();
    EXPECT_FALSE(watched.expired());
  }
}

}  // namespace
}  // namespace ashlar::testing

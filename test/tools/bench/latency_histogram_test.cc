// Compares LatencyHistogram with the sorted numbers themselves.

#include "tools/bench/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ashlar::bench {
namespace {

TEST(LatencyHistogram, PercentilesAreThoseOfTheSortedNumbers) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> numbers;
  LatencyHistogram histogram;
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    // Numbers of all magnitudes.
    numbers.push_back(random() >> (random() % 64));
    if (numbers.back() > uint64_t{1} << 40) numbers.back() >>= 24;
    histogram.Add(numbers.back());
    sum += static_cast<double>(numbers.back());
  }
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(histogram.count(), numbers.size());
  EXPECT_EQ(histogram.min(), numbers.front());
  EXPECT_EQ(histogram.max(), numbers.back());
  const auto n = static_cast<double>(numbers.size());
  EXPECT_NEAR(histogram.Average(), sum / n, 1e-9 * sum);
  for (const double percent : {1.0, 25.0, 50.0, 75.0, 99.0, 99.9, 99.99}) {
    const auto exact =
        static_cast<double>(numbers[static_cast<size_t>(n * percent / 100)]);
    EXPECT_NEAR(histogram.Percentile(percent), exact, exact / 15 + 1)
        << percent;
  }
}

TEST(LatencyHistogram, TakesEveryNumber) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.Percentile(50), 0);
  EXPECT_EQ(histogram.min(), 0);
  histogram.Add(UINT64_MAX);
  EXPECT_EQ(histogram.Percentile(50), static_cast<double>(UINT64_MAX));
  histogram.Add(0);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.max(), UINT64_MAX);
}

TEST(LatencyHistogram, MergedIsAsIfAllHadBeenAddedToOne) {
  LatencyHistogram all;
  LatencyHistogram parts[2];
  for (uint64_t i = 0; i < 1000; ++i) {
    all.Add(i * i);
    parts[i % 2].Add(i * i);
  }
  parts[0].Merge(parts[1]);
  EXPECT_EQ(parts[0].count(), all.count());
  EXPECT_EQ(parts[0].min(), all.min());
  EXPECT_EQ(parts[0].max(), all.max());
  EXPECT_DOUBLE_EQ(parts[0].Average(), all.Average());
  EXPECT_NEAR(parts[0].StandardDeviation(), all.StandardDeviation(), 1e-3);
  for (const double percent : {10.0, 50.0, 99.0}) {
    EXPECT_EQ(parts[0].Percentile(percent), all.Percentile(percent));
  }
}

TEST(LatencyHistogram, StandardDeviation) {
  LatencyHistogram histogram;
  for (const uint64_t x : {2, 4, 4, 4, 5, 5, 7, 9}) histogram.Add(x);
  EXPECT_DOUBLE_EQ(histogram.Average(), 5);
  EXPECT_DOUBLE_EQ(histogram.StandardDeviation(), 2);
}

}  // namespace
}  // namespace ashlar::bench

// Compares the false positive rates of filters of ten million keys with theory.
// This test is for release builds only, because such a large filter takes too
// long under a sanitizer.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "table/filter/filter_bits.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using namespace internal;

constexpr uint64_t kKeys = 10'000'000;
constexpr uint64_t kQuestions = 20'000'000;

double MeasuredRate(FilterType type, double bits) {
  FilterBitsBuilder builder(type, bits);
  Random keys(1);
  for (uint64_t i = 0; i < kKeys; ++i) builder.Add(keys.Next());
  Buffer payload;
  EXPECT_TRUE(builder.Finish(&payload).ok());
  const FilterBitsReader reader(payload.slice());
  Random again(1);
  Random others(2);
  std::array<uint64_t, kFilterBatchMax> hashes;
  uint64_t denied = 0;
  for (uint64_t i = 0; i < kKeys; i += hashes.size()) {
    for (uint64_t& hash : hashes) hash = again.Next();
    denied += std::popcount(~reader.MayMatchBatch(hashes));
  }
  EXPECT_EQ(denied, 0u);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < kQuestions; i += hashes.size()) {
    for (uint64_t& hash : hashes) hash = others.Next();
    wrong += std::popcount(reader.MayMatchBatch(hashes));
  }
  return static_cast<double>(wrong) / static_cast<double>(kQuestions);
}

// The number of keys in a line of 512 bits varies as in a Poisson distribution.
double BloomTheory(double bits, int probes) {
  constexpr double kLineBits = 512;
  const double mean = kLineBits / bits;
  double rate = 0;
  for (int keys = 0; keys < 4 * mean + 40; ++keys) {
    const double chance =
        std::exp(keys * std::log(mean) - mean - std::lgamma(keys + 1.0));
    const double set = 1 - std::pow(1 - 1 / kLineBits, keys * probes);
    rate += chance * std::pow(set, probes);
  }
  return rate;
}

void ExpectNear(double measured, double theory) {
  EXPECT_NEAR(measured / theory, 1.0, 0.05)
      << "measured " << measured << ", theory " << theory;
}

TEST(FilterRates, Bloom) {
  ExpectNear(MeasuredRate(FilterType::kBloom, 5), BloomTheory(5, 3));
  ExpectNear(MeasuredRate(FilterType::kBloom, 10), BloomTheory(10, 6));
  ExpectNear(MeasuredRate(FilterType::kBloom, 16), BloomTheory(16, 9));
}

// The rate that a Bloom filter of the same number of bits is assumed to have:
// FORMAT.md, 9.5.
TEST(FilterRates, Ribbon) {
  const auto aim = [](double bits, int probes) {
    const auto rate = [probes](double b) {
      return std::pow(1 - std::exp(-probes / b), probes);
    };
    const double m = 512 / bits;
    const double s = std::sqrt(m);
    return (rate(512 / (m + s)) + rate(512 / (m - s))) / 2;
  };
  ExpectNear(MeasuredRate(FilterType::kRibbon, 5), aim(5, 3));
  ExpectNear(MeasuredRate(FilterType::kRibbon, 10), aim(10, 6));
  ExpectNear(MeasuredRate(FilterType::kRibbon, 16), aim(16, 9));
}

}  // namespace
}  // namespace ashlar::testing

// HistogramSamples, and the names of histograms.

#include "ashlar/table/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace ashlar {

namespace {

using Limits = std::array<uint64_t, HistogramSamples::kBuckets>;

// Rounds down to a number of the form n * 10^k with n < 110.
constexpr uint64_t ToTwoDigits(uint64_t number) {
  uint64_t unit = 1;
  for (; number / unit >= 110; unit *= 10) {
  }
  return number / unit * unit;
}

// The limits are rounded; what they are multiplied from is not.
constexpr Limits MakeLimits() {
  Limits limits = {1, 2};
  double exact = 2;
  for (size_t i = 2; i < limits.size(); ++i) {
    exact *= 1.5;
    limits[i] = ToTwoDigits(static_cast<uint64_t>(exact));
  }
  return limits;
}
constexpr Limits kLimits = MakeLimits();
static_assert(kLimits[2] == 3 && kLimits[4] == 6);
static_assert(std::is_sorted(kLimits.begin(), kLimits.end()));
// Another bucket would not fit into 64 bits.
static_assert(static_cast<double>(kLimits.back()) * 1.5 > 1.8e19);

constexpr std::array<std::string_view, kHistograms> kHistogramNames = {
    "rocksdb.db.get.micros",
    "rocksdb.db.multiget.micros",
    "rocksdb.db.seek.micros",
    "rocksdb.table.open.io.micros",
    "rocksdb.sst.read.micros",
    "rocksdb.bytes.per.read",
    "rocksdb.bytes.per.multiget",
    "rocksdb.compression.times.nanos",
    "rocksdb.decompression.times.nanos",
};

template <typename... Values>
void AppendFormatted(std::string* text, const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  text->append(line);
}

unsigned long long Long(uint64_t number) { return number; }

}  // namespace

std::string_view HistogramName(Histogram histogram) {
  return kHistogramNames[static_cast<size_t>(histogram)];
}

size_t HistogramSamples::BucketOf(uint64_t value) {
  const auto found = std::lower_bound(kLimits.begin(), kLimits.end(), value);
  return found == kLimits.end() ? kBuckets - 1
                                : static_cast<size_t>(found - kLimits.begin());
}

uint64_t HistogramSamples::LimitOf(size_t bucket) { return kLimits[bucket]; }

void HistogramSamples::Add(uint64_t value) {
  AddToBucket(BucketOf(value), 1);
  AddSums(value, value, value, value * value);
}

void HistogramSamples::AddSums(uint64_t min, uint64_t max, uint64_t sum,
                               uint64_t sum_squares) {
  min_ = std::min(min_, min);
  max_ = std::max(max_, max);
  sum_ += sum;
  sum_squares_ += sum_squares;
}

void HistogramSamples::Merge(const HistogramSamples& other) {
  if (other.empty()) return;
  for (size_t i = 0; i < kBuckets; ++i) AddToBucket(i, other.buckets_[i]);
  AddSums(other.min_, other.max_, other.sum_, other.sum_squares_);
}

double HistogramSamples::Percentile(double percent) const {
  const double wanted = static_cast<double>(count_) * (percent / 100);
  uint64_t before = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    const uint64_t here = buckets_[i];
    if (static_cast<double>(before + here) < wanted) {
      before += here;
      continue;
    }
    const auto low = static_cast<double>(i == 0 ? 0 : kLimits[i - 1]);
    const auto high = static_cast<double>(kLimits[i]);
    const double part = here == 0 ? 0
                                  : (wanted - static_cast<double>(before)) /
                                        static_cast<double>(here);
    const double value = low + (high - low) * part;
    return std::min(std::max(value, static_cast<double>(min())),
                    static_cast<double>(max_));
  }
  return static_cast<double>(max_);
}

double HistogramSamples::Average() const {
  return empty() ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

double HistogramSamples::StandardDeviation() const {
  if (empty()) return 0;
  const auto n = static_cast<double>(count_);
  const auto sum = static_cast<double>(sum_);
  const double variance =
      (static_cast<double>(sum_squares_) * n - sum * sum) / (n * n);
  return std::sqrt(std::max(variance, 0.0));
}

HistogramData HistogramSamples::Data() const {
  return {.median = Percentile(50),
          .percentile95 = Percentile(95),
          .percentile99 = Percentile(99),
          .average = Average(),
          .standard_deviation = StandardDeviation(),
          .max = static_cast<double>(max_),
          .count = count_,
          .sum = sum_,
          .min = static_cast<double>(min())};
}

std::string HistogramSamples::ToString() const {
  std::string text;
  AppendFormatted(&text, "Count: %llu Average: %.4f  StdDev: %.2f\n",
                  Long(count_), Average(), StandardDeviation());
  AppendFormatted(&text, "Min: %llu  Median: %.4f  Max: %llu\n", Long(min()),
                  Percentile(50), Long(max_));
  AppendFormatted(&text,
                  "Percentiles: P50: %.2f P75: %.2f P99: %.2f P99.9: %.2f "
                  "P99.99: %.2f\n",
                  Percentile(50), Percentile(75), Percentile(99),
                  Percentile(99.9), Percentile(99.99));
  text += std::string(54, '-') + "\n";
  if (empty()) return text;
  constexpr double kMarks = 20;  // of a bucket with all samples
  const double share = 100.0 / static_cast<double>(count_);
  uint64_t up_to = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    const uint64_t here = buckets_[i];
    if (here == 0) continue;
    up_to += here;
    AppendFormatted(
        &text, "%c %7llu, %7llu ] %8llu %7.3f%% %7.3f%% ", i == 0 ? '[' : '(',
        Long(i == 0 ? 0 : kLimits[i - 1]), Long(kLimits[i]), Long(here),
        share * static_cast<double>(here), share * static_cast<double>(up_to));
    const double marks =
        kMarks * static_cast<double>(here) / static_cast<double>(count_) + 0.5;
    text.append(static_cast<size_t>(marks), '#');
    text += '\n';
  }
  return text;
}

}  // namespace ashlar

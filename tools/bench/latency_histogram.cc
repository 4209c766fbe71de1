#include "tools/bench/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace ashlar::bench {

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  squares_ += other.squares_;
}

double LatencyHistogram::Average() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

double LatencyHistogram::StandardDeviation() const {
  if (count_ == 0) return 0;
  const double average = Average();
  const double variance =
      squares_ / static_cast<double>(count_) - average * average;
  return std::sqrt(std::max(0.0, variance));
}

double LatencyHistogram::BeginOf(size_t bucket) {
  if (bucket < 2 * kSub) return static_cast<double>(bucket);
  const size_t shift = (bucket >> kSubBits) - 1;
  return std::ldexp(static_cast<double>(kSub + bucket % kSub),
                    static_cast<int>(shift));
}

double LatencyHistogram::Percentile(double percent) const {
  const double wanted = static_cast<double>(count_) * percent / 100;
  double before = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    const auto here = static_cast<double>(counts_[i]);
    if (here == 0 || before + here < wanted) {
      before += here;
      continue;
    }
    const double begin = BeginOf(i);
    const double width = BeginOf(i + 1) - begin;
    return std::clamp(begin + width * (wanted - before) / here,
                      static_cast<double>(min()), static_cast<double>(max_));
  }
  return static_cast<double>(max_);
}

}  // namespace ashlar::bench

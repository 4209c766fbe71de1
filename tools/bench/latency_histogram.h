// LatencyHistogram: counts how often an operation took how long, to within
// 1/16.
//
// It has 16 buckets per power of two. Each thread has one, and they are merged
// afterwards. Not thread-safe.
#ifndef ASHLAR_TOOLS_BENCH_LATENCY_HISTOGRAM_H_
#define ASHLAR_TOOLS_BENCH_LATENCY_HISTOGRAM_H_

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ashlar::bench {

class LatencyHistogram {
 public:
  void Add(uint64_t nanoseconds) {
    ++counts_[BucketOf(nanoseconds)];
    ++count_;
    const auto x = static_cast<double>(nanoseconds);
    sum_ += x;
    squares_ += x * x;
    if (nanoseconds < min_) min_ = nanoseconds;
    if (nanoseconds > max_) max_ = nanoseconds;
  }
  void Merge(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  uint64_t min() const { return count_ == 0 ? 0 : min_; }
  uint64_t max() const { return max_; }
  double Average() const;
  double StandardDeviation() const;
  // `percent` is 0 to 100. Interpolates within a bucket.
  double Percentile(double percent) const;

 private:
  static constexpr int kSubBits = 4;
  static constexpr size_t kSub = size_t{1} << kSubBits;
  static constexpr size_t kBuckets = (64 - kSubBits + 1) * kSub;

  // Every number below 2 * kSub has its own bucket.
  static size_t BucketOf(uint64_t n) {
    if (n < kSub) return n;
    const int shift = std::bit_width(n) - 1 - kSubBits;
    return (static_cast<size_t>(shift) << kSubBits) + (n >> shift);
  }
  static double BeginOf(size_t bucket);

  std::array<uint64_t, kBuckets> counts_ = {};
  uint64_t count_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

// Adds the time from its creation to its end to a histogram, unless that is
// null.
class LatencyTimer {
 public:
  explicit LatencyTimer(LatencyHistogram* histogram) : histogram_(histogram) {
    if (histogram_ != nullptr) begin_ = Clock::now();
  }
  ~LatencyTimer() {
    if (histogram_ == nullptr) return;
    const std::chrono::nanoseconds passed = Clock::now() - begin_;
    histogram_->Add(static_cast<uint64_t>(passed.count()));
  }
  LatencyTimer(const LatencyTimer&) = delete;
  LatencyTimer& operator=(const LatencyTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  LatencyHistogram* const histogram_;
  Clock::time_point begin_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_LATENCY_HISTOGRAM_H_

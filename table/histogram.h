// Histograms: how often which number occurred, such as the microseconds of a
// Get. For Statistics (table/statistics.h), and for programs that merge or show
// what several of them counted.
//
// Buckets, percentiles and texts are RocksDB's, so that a program that reads
// RocksDB's statistics reads these: equal samples give equal text. The limit of
// a bucket is about 1.5 times that of the bucket before, rounded down to two
// digits. Within a bucket, samples count as evenly spread. So a percentile is
// off by half of itself at most, and mostly by far less.
//
// Plain values: thread-safe to read.
#ifndef ASHLAR_TABLE_HISTOGRAM_H_
#define ASHLAR_TABLE_HISTOGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"

namespace ashlar {

// What is counted by size. Times are those of whole calls, on the thread that
// makes them.
enum class Histogram : uint32_t {
  // Times in microseconds. Get; MultiGet; the seeks of iterators: Seek,
  // SeekForPrev, SeekToFirst and SeekToLast; opening a table.
  kDbGet,
  kDbMultiGet,
  kDbSeek,
  kTableOpenIoMicros,
  // Reads of the file by reads of blocks, in microseconds: one, or several that
  // are made together.
  kSstReadMicros,
  // Bytes of the value that a Get found, 0 if it found none; and of the values
  // that a MultiGet found.
  kBytesPerRead,
  kBytesPerMultiGet,
  // Compressing and decompressing one block, in nanoseconds.
  kCompressionTimesNanos,
  kDecompressionTimesNanos,
};
// How many histograms there are.
inline constexpr size_t kHistograms =
    static_cast<size_t>(Histogram::kDecompressionTimesNanos) + 1;
// Returns the histogram's name, such as "rocksdb.db.get.micros". The text lives
// for ever.
ASHLAR_EXPORT std::string_view HistogramName(Histogram histogram);

// The numbers that programs mostly show. All are 0 if there are no samples.
struct HistogramData {
  double median = 0;
  double percentile95 = 0;
  double percentile99 = 0;
  double average = 0;
  double standard_deviation = 0;
  double max = 0;
  uint64_t count = 0;
  uint64_t sum = 0;
  double min = 0;
};

// Samples by bucket. Sums wrap around at 2^64.
class ASHLAR_EXPORT HistogramSamples {
 public:
  // The number of buckets, which are RocksDB's.
  static constexpr size_t kBuckets = 109;

  // Returns the number of the bucket of a value.
  static size_t BucketOf(uint64_t value);
  // Returns the largest value of a bucket. Requires: bucket < kBuckets.
  static uint64_t LimitOf(size_t bucket);

  // Adds a sample, or all samples of another object.
  void Add(uint64_t value);
  void Merge(const HistogramSamples& other);
  // Adds samples that were counted elsewhere: `count` in a bucket; and, for all
  // of them together, what else is known.
  void AddToBucket(size_t bucket, uint64_t count) {
    buckets_[bucket] += count;
    count_ += count;
  }
  void AddSums(uint64_t min, uint64_t max, uint64_t sum, uint64_t sum_squares);

  // Return the number of samples, and their sum.
  bool empty() const { return count_ == 0; }
  uint64_t count() const { return count_; }
  uint64_t sum() const { return sum_; }
  // These two are 0 if there are no samples.
  uint64_t min() const { return empty() ? 0 : min_; }
  uint64_t max() const { return max_; }
  // Returns below which value `percent` of 100 samples are, about.
  double Percentile(double percent) const;
  double Average() const;
  double StandardDeviation() const;
  HistogramData Data() const;
  // Returns a table for people: sums, percentiles, and a line for each bucket
  // with samples. May throw std::bad_alloc.
  std::string ToString() const;

 private:
  std::array<uint64_t, kBuckets> buckets_ = {};
  uint64_t count_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
  uint64_t sum_ = 0;
  uint64_t sum_squares_ = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_HISTOGRAM_H_

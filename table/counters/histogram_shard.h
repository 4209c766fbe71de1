// HistogramShard: one thread's part of one histogram of a Statistics.
//
// Protocol. Only the thread that owns the shard writes. An addition is a few
// relaxed loads and stores, without a locked instruction. Any thread may add
// the shard up meanwhile: it may miss what is being added, and may see a part
// of one addition.
//
// A Reset cannot subtract the least and the largest sample, as it does sums. So
// it begins a new era instead. A shard has the era of its samples: `era`. The
// owner that finds an older one empties the shard, and then stores the new era
// with release. A thread that adds up loads the era with acquire, and leaves
// out shards of older eras: so it does not see what the owner emptied of an
// older era. If another Reset comes while it adds up, it may see a part, as if
// samples had been added before or after that Reset.
//
// Limit: 912 bytes and 5 words per thread and histogram; made by the first
// sample. Tests: test/table/histogram_test.cc; TSan.
#ifndef ASHLAR_TABLE_COUNTERS_HISTOGRAM_SHARD_H_
#define ASHLAR_TABLE_COUNTERS_HISTOGRAM_SHARD_H_

#include <array>
#include <cstdint>

#include "ashlar/table/histogram.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class HistogramShard {
 public:
  // To be called by the owner. `era` is the current one.
  void Add(uint64_t value, uint64_t era) {
    if (era_.Load() != era) [[unlikely]]
      BeginEra(era);
    Increase(&buckets_[HistogramSamples::BucketOf(value)], 1);
    Increase(&sum_, value);
    Increase(&sum_squares_, value * value);
    if (value < min_.Load()) min_.Store(value);
    if (value > max_.Load()) max_.Store(value);
  }

  // Adds the samples of this era to *samples.
  void AddTo(uint64_t era, HistogramSamples* samples) const {
    if (era_.Load() != era) return;
    HistogramSamples mine;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      mine.AddToBucket(i, buckets_[i].Load());
    }
    if (mine.empty()) return;
    mine.AddSums(min_.Load(), max_.Load(), sum_.Load(), sum_squares_.Load());
    samples->Merge(mine);
  }

 private:
  static void Increase(RelaxedAtomic<uint64_t>* count, uint64_t n) {
    count->Store(count->Load() + n);
  }
  void BeginEra(uint64_t era) {
    for (RelaxedAtomic<uint64_t>& bucket : buckets_) bucket.Store(0);
    sum_.Store(0);
    sum_squares_.Store(0);
    min_.Store(UINT64_MAX);
    max_.Store(0);
    era_.Store(era);
  }

  // No era has the number 0.
  AcqRelAtomic<uint64_t> era_{0};
  RelaxedAtomic<uint64_t> min_{UINT64_MAX};
  RelaxedAtomic<uint64_t> max_{0};
  RelaxedAtomic<uint64_t> sum_{0};
  RelaxedAtomic<uint64_t> sum_squares_{0};
  std::array<RelaxedAtomic<uint64_t>, HistogramSamples::kBuckets> buckets_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COUNTERS_HISTOGRAM_SHARD_H_

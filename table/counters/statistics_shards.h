// StatisticsShards: the counters behind Statistics, a shard for each thread.
//
// statistics.h says how they are written and summed. Here is how a thread finds
// its own: the last one that it used is remembered beside the number of its
// Statistics in one word pair of the thread, so that a thread with one
// Statistics compares and has it. Numbers are never used again, so what is
// remembered of one that is gone is found by nobody.
#ifndef ASHLAR_TABLE_COUNTERS_STATISTICS_SHARDS_H_
#define ASHLAR_TABLE_COUNTERS_STATISTICS_SHARDS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "ashlar/table/statistics.h"
#include "ashlar/util/sync/mutex.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// Sums are not stored.
inline constexpr auto kStoredTickers =
    static_cast<size_t>(Ticker::kBlockCacheHit);
using TickerCounts = std::array<uint64_t, kStoredTickers>;

// Written by one thread at a time. Two lines at a time are fetched by some
// processors, so neighbours are that far apart.
class alignas(128) StatisticsShard {
 public:
  void Add(Ticker ticker, uint64_t n) {
    RelaxedAtomic<uint64_t>& count = counts_[static_cast<size_t>(ticker)];
    count.Store(count.Load() + n);
  }
  void AddTo(TickerCounts* sums) const {
    for (size_t i = 0; i < sums->size(); ++i) (*sums)[i] += counts_[i].Load();
  }

 private:
  std::array<RelaxedAtomic<uint64_t>, kStoredTickers> counts_;
};

// The thread's last shard, and the number of the Statistics that it is of.
struct ThreadShard {
  uint64_t id = 0;
  StatisticsShard* shard = nullptr;
};
// As in the initial executable, also in a shared library: no call to find it.
extern constinit thread_local ThreadShard thread_shard
    __attribute__((tls_model("initial-exec")));

class StatisticsShards {
 public:
  // This thread's. Null while the thread ends, and where there is no memory for
  // one: then nothing is counted.
  static StatisticsShard* Mine(const Statistics& statistics) {
    if (thread_shard.id == statistics.id_) [[likely]]
      return thread_shard.shard;
    return Find(statistics);
  }

  // Counts since the last Reset.
  TickerCounts Sums() const;
  void Reset();

  // For threads, as they come and go.
  StatisticsShard* Take();
  void GiveBack(StatisticsShard* shard);

 private:
  static StatisticsShard* Find(const Statistics& statistics);
  TickerCounts AllSums() const
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));

  mutable Mutex mutex_;
  std::deque<StatisticsShard> shards_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  // Of threads that are gone.
  std::vector<StatisticsShard*> free_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  TickerCounts at_reset_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = {};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COUNTERS_STATISTICS_SHARDS_H_

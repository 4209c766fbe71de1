// StatisticsShards: the counters behind Statistics, a shard for each thread.
//
// statistics.h says how they are written and summed. Here is how a thread finds
// its own. Each thread remembers, in one pair of words, the shard that it used
// last and the number of its Statistics. So a thread with one Statistics
// compares, and has its shard. Numbers are never used again, so what a thread
// remembers of a Statistics that is gone is never found. Thread-safe, except
// that a shard is written by one thread at a time.
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

// Written by one thread at a time. Some processors fetch two cache lines at a
// time, so shards are that far apart.
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

// The shard that the thread used last, and the number of its Statistics.
struct ThreadShard {
  uint64_t id = 0;
  StatisticsShard* shard = nullptr;
};
// In the static TLS block, also in a shared library, so that no call is needed
// to find it.
extern constinit thread_local ThreadShard thread_shard
    __attribute__((tls_model("initial-exec")));

class StatisticsShards {
 public:
  // Returns the calling thread's shard. Null while the thread ends, and if
  // there is no memory for one: then nothing is counted.
  static StatisticsShard* Mine(const Statistics& statistics) {
    if (thread_shard.id == statistics.id_) [[likely]]
      return thread_shard.shard;
    return Find(statistics);
  }

  // Returns all counts since the last Reset.
  TickerCounts Sums() const;
  void Reset();

  // Give a shard to a thread, and take it back when the thread ends.
  StatisticsShard* Take();
  void GiveBack(StatisticsShard* shard);

 private:
  static StatisticsShard* Find(const Statistics& statistics);
  TickerCounts AllSums() const
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));

  mutable Mutex mutex_;
  std::deque<StatisticsShard> shards_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  // Shards of threads that have ended.
  std::vector<StatisticsShard*> free_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  TickerCounts at_reset_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = {};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COUNTERS_STATISTICS_SHARDS_H_

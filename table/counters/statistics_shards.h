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
#include <new>
#include <utility>
#include <vector>

#include "ashlar/table/statistics.h"
#include "ashlar/util/sync/mutex.h"
#include "table/counters/histogram_shard.h"
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
  // Passes on to `sink` what it counts, unless that is null.
  explicit StatisticsShard(StatisticsSink* sink) : sink_(sink) {}
  StatisticsShard(const StatisticsShard&) = delete;
  StatisticsShard& operator=(const StatisticsShard&) = delete;
  ~StatisticsShard() {
    for (const auto& histogram : histograms_) delete histogram.Load();
  }

  void Add(Ticker ticker, uint64_t n) {
    RelaxedAtomic<uint64_t>& count = counts_[static_cast<size_t>(ticker)];
    count.Store(count.Load() + n);
    if (sink_ != nullptr && n != 0) [[unlikely]]
      sink_->Add(ticker, n);
  }
  void AddTo(TickerCounts* sums) const {
    for (size_t i = 0; i < sums->size(); ++i) (*sums)[i] += counts_[i].Load();
  }
  // Adds nothing if there is no memory for the histogram.
  void AddSample(Histogram histogram, uint64_t value, uint64_t era) {
    if (sink_ != nullptr) [[unlikely]]
      sink_->AddSample(histogram, value);
    auto& slot = histograms_[static_cast<size_t>(histogram)];
    HistogramShard* mine = slot.Load();
    if (mine == nullptr) [[unlikely]] {
      mine = new (std::nothrow) HistogramShard;
      if (mine == nullptr) return;
      slot.PublishFirst(mine);
    }
    mine->Add(value, era);
  }
  void AddSamplesTo(Histogram histogram, uint64_t era,
                    HistogramSamples* samples) const {
    const HistogramShard* const mine =
        histograms_[static_cast<size_t>(histogram)].Load();
    if (mine != nullptr) mine->AddTo(era, samples);
  }

 private:
  StatisticsSink* const sink_;
  std::array<RelaxedAtomic<uint64_t>, kStoredTickers> counts_;
  // Null until there is a sample.
  std::array<PublishedPointer<HistogramShard>, kHistograms> histograms_;
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
  explicit StatisticsShards(std::shared_ptr<StatisticsSink> sink)
      : sink_(std::move(sink)) {}

  // Returns the calling thread's shard. Null while the thread ends, and if
  // there is no memory for one: then nothing is counted.
  static StatisticsShard* Mine(const Statistics& statistics) {
    if (thread_shard.id == statistics.id_) [[likely]]
      return thread_shard.shard;
    return Find(statistics);
  }

  static StatsLevel LevelOf(const Statistics& statistics) {
    return statistics.shards_->level_.Load();
  }
  StatsLevel level() const { return level_.Load(); }
  void set_level(StatsLevel level) { level_.Store(level); }
  // Adds a sample to the calling thread's shard, whatever the level.
  static void AddSample(const Statistics& statistics, Histogram histogram,
                        uint64_t value) {
    StatisticsShard* const shard = Mine(statistics);
    if (shard == nullptr) return;
    shard->AddSample(histogram, value, statistics.shards_->era_.Load());
  }

  // Return all counts, or samples, since the last Reset.
  TickerCounts Sums() const;
  HistogramSamples Samples(Histogram histogram) const;
  void Reset();

  // Give a shard to a thread, and take it back when the thread ends.
  StatisticsShard* Take();
  void GiveBack(StatisticsShard* shard);

 private:
  static StatisticsShard* Find(const Statistics& statistics);
  TickerCounts AllSums() const
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex_));

  const std::shared_ptr<StatisticsSink> sink_;  // may be null
  mutable Mutex mutex_;
  std::deque<StatisticsShard> shards_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  // Shards of threads that have ended.
  std::vector<StatisticsShard*> free_
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_));
  TickerCounts at_reset_ ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex_)) = {};
  RelaxedAtomic<StatsLevel> level_{StatsLevel::kExceptTimers};
  // Of histograms: histogram_shard.h.
  RelaxedAtomic<uint64_t> era_{1};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COUNTERS_STATISTICS_SHARDS_H_
